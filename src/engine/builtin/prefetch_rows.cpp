#include "engine/builtin/rewrites.h"
#include "lower/contraction_view.h"

namespace hone {

// While one tile is computed, the beginning of the next tile's rows of A comes closer. It must be known which rows are
// next, and a row's elements must lie side by side.
Result<void> prefetch_rows(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const ContractionView view, contraction_view(subject.kernel));
  if (view.a_strided || schedule.is_packed(Dimension::m)) {
    return fail("rows of A do not begin where a tile begins to read here", "leave this step out");
  }
  const int rows = find_loop(schedule, Dimension::m, LoopKind::serial);
  if (!schedule.has_done("register-tiling") || !schedule.has_done("vectorize") || rows < 0
      || rows < find_innermost(schedule, Dimension::n, LoopKind::serial)) {
    return fail("there is no strip of columns that all rows of a block are computed for",
                "do cache-tiling, register-tiling and vectorize first");
  }
  schedule.prefetch_rows = true;
  return {};
}

} // namespace hone
