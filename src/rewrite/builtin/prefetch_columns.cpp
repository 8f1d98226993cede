#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// While a strip of columns is computed, what the next strip reads of B comes closer. It must be known which strip is
// next, and that some tiles pass before it begins.
Result<void> prefetch_columns(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (view.b_strided) {
    return fail("columns of B do not lie side by side here", "leave this step out, or pack B first by hand");
  }
  HONE_CHECK(check_strips(schedule));
  schedule.prefetch = true;
  return {};
}

} // namespace hone::rewrite
