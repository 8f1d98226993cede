#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// The part of B that a block needs is copied to group->shared in the order in which it is read; A too where its rows
// are not contiguous. A copy must have a bounded size: without cache-tiling, columns and k are blocked here.
Result<void> pack_panels(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  HONE_CHECK(check_partial_sums(subject.kernel));
  const kernel::DataType type = view.contraction.a->type;
  if (view.contraction.b->type != type || view.statement->type != type || subject.kernel.accumulate != type) {
    return fail("packed panels need operands, sums and output of one type",
                "change the types in kernel.toml, or leave this step out");
  }
  if (!schedule.has_done("cache-tiling")) {
    schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(first_inner_loop(schedule)),
                          lower::ScheduledLoop{lower::Dimension::n, lower::LoopKind::serial, "TILE_N", false, ""});
    add_parameter(schedule, "TILE_N", {64, 96, 128, 192, 256, 384, 768}, 384);
  }
  block_k(schedule);
  schedule.packed = {lower::Dimension::n};
  if (view.a_strided) {
    schedule.packed.push_back(lower::Dimension::m);
  }
  return {};
}

} // namespace hone::rewrite
