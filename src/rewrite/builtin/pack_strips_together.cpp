#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// A row of B is read on for STRIPS strips before the next row's turn comes.
Result<void> pack_strips_together(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.form != "dots") {
    return fail("there are no strips of groups to pack", "do dot-products first");
  }
  HONE_TRY(const lower::ContractionView view, lower::dot_view(subject.kernel));
  if (view.b_strided) {
    return fail("what a strip of B holds lies side by side in memory already", "leave this step out");
  }
  schedule.joined_strips = true;
  add_parameter(schedule, "STRIPS", {1, 2, 4, 8, 16}, 4);
  return {};
}

} // namespace hone::rewrite
