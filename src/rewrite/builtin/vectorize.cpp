#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

namespace {

const std::string k_hint = "leave this step out, or write it by hand";

bool one_type(const kernel::Kernel& kernel)
{
  const kernel::DataType type = kernel.program.statements.front().type;
  for (const kernel::Argument& argument : kernel.arguments) {
    if (argument.type != type && !kernel::is_only_compared(kernel, argument)) {
      return false;
    }
  }
  return kernel.accumulate == type;
}

} // namespace

// The loop over columns takes whole vectors, VECTORS of them at a time.
Result<void> vectorize(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", k_hint);
  }
  if (!one_type(subject.kernel)) {
    return fail("vectors need operands, sums and output of one type",
                "change the types in kernel.toml, or leave this step out");
  }
  HONE_CHECK(lower::check_vector_epilogue(subject.kernel, view, subject.dialect));

  const int columns = lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial);
  schedule.loops[static_cast<std::size_t>(columns)].step = "VECTORS * lanes";
  const int registers = lower::find_loop(schedule, lower::Dimension::n, lower::LoopKind::registers);
  const lower::ScheduledLoop vectors{lower::Dimension::n, lower::LoopKind::registers, "lanes", true, ""};
  if (registers >= 0) {
    schedule.loops[static_cast<std::size_t>(registers)] = vectors;
    remove_parameter(schedule, "REG_N");
  } else {
    schedule.loops.push_back(vectors);
  }
  // The default fills the registers together with a register tile's default of six rows.
  add_parameter(schedule, "VECTORS", {1, 2, 3, 4}, subject.dialect.vector_bytes >= 64 ? 4 : 2);
  return {};
}

} // namespace hone::rewrite
