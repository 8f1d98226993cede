#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Neighbouring statements over the same rows become one launch: the ITEMS work-items of a group share each of its ROWS
// rows. One item for a row needs no barrier: right for a CPU.
Result<void> rows_in_groups(lower::Schedule& schedule, const RewriteSubject&)
{
  if (schedule.form == "items" && !schedule.done.empty()) {
    return fail("this candidate's groups go over tiles already", "carry it out before other steps");
  }
  schedule.form = "group-rows";
  schedule.loops.clear();
  add_parameter(schedule, "ITEMS", {1, 8, 32, 64, 128, 256}, 1);
  add_parameter(schedule, "ROWS", {1, 2, 4, 8, 16}, 1);
  return {};
}

} // namespace hone::rewrite
