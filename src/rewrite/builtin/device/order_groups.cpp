#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Groups that run at the same time lie in a block of the output, GROUP_ROWS groups high: what they read is still in the
// cache that they share.
Result<void> order_groups(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_tiles(schedule));
  add_parameter(schedule, "GROUP_ROWS", {1, 2, 4, 8, 16}, 4);
  return {};
}

} // namespace hone::rewrite
