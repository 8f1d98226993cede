#include "engine/builtin/nest_edits.h"
#include "engine/builtin/rewrites.h"
#include "lower/contraction_view.h"

#include <fmt/format.h>

namespace hone {

namespace {

const std::string k_hint = "leave this step out, or write it by hand";

bool names_index(const Expr& expression, const std::string& index)
{
  if (expression.kind == ExprKind::index && expression.name == index) {
    return true;
  }
  for (const ExprPtr& argument : expression.args) {
    if (argument && names_index(*argument, index)) {
      return true;
    }
  }
  return false;
}

// What is done to a finished sum must exist for vectors: arithmetic, max and min, over loads that run along n or do
// not depend on it.
Result<void> check_epilogue(const Expr& expression, const std::string& n)
{
  const std::string& name = expression.name;
  switch (expression.kind) {
  case ExprKind::number:
  case ExprKind::hole:
    return {};
  case ExprKind::load:
    for (std::size_t i = 0; i + 1 < expression.args.size(); ++i) {
      if (names_index(*expression.args[i], n)) {
        return fail(fmt::format("{} does not lie along the columns", name), k_hint, expression.place);
      }
    }
    if (!expression.args.empty() && expression.args.back()->kind != ExprKind::index
        && names_index(*expression.args.back(), n)) {
      return fail(fmt::format("{} is not read column by column", name), k_hint, expression.place);
    }
    return {};
  case ExprKind::unary:
  case ExprKind::binary:
    if (name != "+" && name != "-" && name != "*" && name != "/") {
      return fail(fmt::format("what is done to the sum uses {}, which vectors do not have", name), k_hint,
                  expression.place);
    }
    break;
  case ExprKind::call:
    if (name != "max" && name != "min") {
      return fail(fmt::format("what is done to the sum calls {}, which vectors do not have", name), k_hint,
                  expression.place);
    }
    break;
  default:
    return fail("what is done to the sum has no vector form", k_hint, expression.place);
  }
  for (const ExprPtr& argument : expression.args) {
    HONE_CHECK(check_epilogue(*argument, n));
  }
  return {};
}

bool one_type(const Kernel& kernel)
{
  const DataType type = kernel.program.statements.front().type;
  for (const Argument& argument : kernel.arguments) {
    if (argument.type != type) {
      return false;
    }
  }
  return kernel.accumulate == type;
}

} // namespace

// The loop over columns takes whole vectors, VECTORS of them at a time.
Result<void> vectorize(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const ContractionView view, contraction_view(subject.kernel));
  if (subject.dialect.vector_bytes == 0) {
    return fail("this backend has no explicit vectors", k_hint);
  }
  if (!one_type(subject.kernel)) {
    return fail("vectors need operands, sums and output of one type",
                "change the types in kernel.toml, or leave this step out");
  }
  HONE_CHECK(check_epilogue(*view.contraction.epilogue, view.n.name));

  const int columns = find_innermost(schedule, Dimension::n, LoopKind::serial);
  schedule.loops[static_cast<std::size_t>(columns)].step = "VECTORS * lanes";
  const int registers = find_loop(schedule, Dimension::n, LoopKind::registers);
  const ScheduledLoop vectors{Dimension::n, LoopKind::registers, "lanes", true, ""};
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

} // namespace hone
