#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Each item computes a tile, all sums in registers. The defaults of the groups shrink, as tiles make them larger.
Result<void> tile_work_items(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "group-outputs"));
  add_parameter(schedule, "TILE_M", {1, 2, 4, 6, 8, 12}, 4);
  add_parameter(schedule, "TILE_N", {1, 2, 3, 4, 8}, schedule.has_parameter("LANES") ? 2 : 4);
  return {};
}

} // namespace hone::rewrite
