#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Groups of rows and columns in place of a flat range of items: an item finds its element by its ids.
Result<void> group_outputs(lower::Schedule& schedule, const RewriteSubject&)
{
  if (schedule.has_done("matrix-instructions")) {
    return fail("groups consist of warps already", "choose another step");
  }
  HONE_CHECK(make_items(schedule));
  add_parameter(schedule, "GROUP_M", {1, 2, 4, 8, 16, 32}, 4);
  add_parameter(schedule, "GROUP_N", {1, 2, 4, 8, 16, 32, 64}, 16);
  return {};
}

} // namespace hone::rewrite
