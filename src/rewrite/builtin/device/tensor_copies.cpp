#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Four warps more bring boxes of both operands by tensor maps to STAGES blocks; barriers in local memory stand between
// them and those that multiply.
Result<void> tensor_copies(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "warp-group-instructions"));
  if (schedule.has_done("split-k-groups")) {
    return fail("tensor copies are for sums over all terms: a box brings terms of the next part too",
                "choose one of the two steps");
  }
  for (const char* other : {"overlap-staging", "copy-asynchronously"}) {
    if (schedule.has_done(other)) {
      return fail("blocks are filled ahead by those who use them already", "choose one of the steps");
    }
  }
  add_parameter(schedule, "STAGES", {2, 3, 4, 5}, 4);
  return {};
}

} // namespace hone::rewrite
