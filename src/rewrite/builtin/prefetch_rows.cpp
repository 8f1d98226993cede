#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// While one tile is computed, the beginning of the next tile's rows of A comes closer. It must be known which rows are
// next, and a row's elements must lie side by side.
Result<void> prefetch_rows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (view.a_strided || schedule.is_packed(lower::Dimension::m)) {
    return fail("rows of A do not begin where a tile begins to read here", "leave this step out");
  }
  HONE_CHECK(check_strips(schedule));
  schedule.prefetch_rows = true;
  return {};
}

} // namespace hone::rewrite
