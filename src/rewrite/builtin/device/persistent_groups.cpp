#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// As many groups as the device runs at a time, each of which takes tile after tile.
Result<void> persistent_groups(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_tiles(schedule));
  add_parameter(schedule, "UNIT_GROUPS", {1, 2, 4, 8}, 2);
  return {};
}

} // namespace hone::rewrite
