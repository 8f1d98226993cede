#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Fuses packing into the first tile of a strip: it reads B itself and writes the packed copy for the tiles below, so
// that no separate pass over B is needed. PACK_B selects this, a separate packing pass, or no copy. The best choice
// depends on the number of rows that share a strip and on the distance between rows of B.
Result<void> pack_in_passing(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (view.b_strided || view.a_strided) {
    return fail("packing in the first tile would read a matrix against its storage order",
                "use pack-panels, which transposes it");
  }
  const int rows = lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::serial);
  const bool strips = rows > lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial);
  if (!strips || !schedule.has_done("vectorize") || schedule.edges != lower::EdgeTreatment::masked) {
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

} // namespace hone::rewrite
