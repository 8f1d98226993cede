#include "engine/builtin/nest_edits.h"
#include "engine/builtin/rewrites.h"
#include "lower/contraction_view.h"

namespace hone {

// The first tile of a strip reads B itself and leaves the copy behind for those below it: the pass over B that only
// copies is gone. PACK_B says so, or that there is a pass for it after all, or no copy: which of them is best depends
// on how many rows share a strip, and on how far apart its rows lie.
Result<void> pack_in_passing(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const ContractionView view, contraction_view(subject.kernel));
  if (view.b_strided || view.a_strided) {
    return fail("the first tile would read a matrix against the order in which it lies",
                "use pack-panels, which turns it round");
  }
  const int rows = find_loop(schedule, Dimension::m, LoopKind::serial);
  const bool strips = rows > find_innermost(schedule, Dimension::n, LoopKind::serial);
  if (!strips || !schedule.has_done("vectorize") || schedule.edges != EdgeTreatment::masked) {
    return fail("there is no strip of columns that a tile could copy for those below it",
                "do cache-tiling, register-tiling, vectorize and mask-edges first");
  }
  if (schedule.packed.empty()) {
    HONE_CHECK(pack_panels(schedule, subject));
  }
  schedule.in_passing = true;
  add_parameter(schedule, "PACK_B", {0, 1, 2}, 2);
  return {};
}

} // namespace hone
