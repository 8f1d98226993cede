#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Items that run together add up by exchanging values; local memory and barriers are for sums of more items than that.
Result<void> reduce_in_sub_groups(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "rows-in-groups"));
  for (kernel::TuningParameter& parameter : schedule.tuning) {
    if (parameter.name == "ITEMS") {
      parameter.default_value = 64; // as many as the largest sub-group has
    }
  }
  return {};
}

} // namespace hone::rewrite
