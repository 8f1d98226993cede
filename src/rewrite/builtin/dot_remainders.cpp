#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// The last columns, where they are too few for a vector, become vectors along k: no lane computes for nothing.
Result<void> dot_remainders(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (view.a_strided) {
    return fail("neighbours of A along the sum do not lie side by side", "leave this step out");
  }
  if (!schedule.has_done("cache-tiling") || !schedule.has_done("register-tiling") || !schedule.has_done("vectorize")
      || schedule.edges != lower::EdgeTreatment::masked) {
    return fail("there are no blocks of rows whose last vector is computed for a few columns",
                "do cache-tiling, register-tiling, vectorize and mask-edges first");
  }
  schedule.dot_remainders = true;
  add_parameter(schedule, "DOT_COLUMNS", {0, 4, 8}, 4);
  return {};
}

} // namespace hone::rewrite
