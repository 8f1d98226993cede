#include "lower/contraction_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Some rows of a tile read several elements of A at once and spread each by a shuffle: where a tile is one or two
// vectors wide, loads are what the core runs out of first.
Result<void> register_broadcast(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_TRY(const lower::ContractionView view, lower::contraction_view(subject.kernel));
  if (view.a_strided) {
    return fail("neighbours of A along the sum do not lie side by side", "leave this step out");
  }
  if (!schedule.has_done("register-tiling") || !schedule.has_done("vectorize")) {
    return fail("there are no tiles of several rows of whole vectors", "do register-tiling and vectorize first");
  }
  schedule.register_broadcast = true;
  add_parameter(schedule, "BROADCAST_ROWS", {1, 2, 3, 4}, 2);
  return {};
}

} // namespace hone::rewrite
