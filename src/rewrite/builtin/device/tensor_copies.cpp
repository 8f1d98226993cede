#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Four warps more bring boxes of both operands by tensor maps to STAGES blocks; barriers in local memory stand between
// them and those that multiply.
Result<void> tensor_copies(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "warp-group-instructions"));
  HONE_CHECK(check_apart(schedule, "split-k-groups",
                         "tensor copies are for sums over all terms: a box brings terms of the next part too"));
  for (const char* other : {"overlap-staging", "copy-asynchronously"}) {
    HONE_CHECK(check_apart(schedule, other, "blocks are filled ahead by those who use them already"));
  }
  add_parameter(schedule, "STAGES", {2, 3, 4, 5}, 4);
  return {};
}

} // namespace hone::rewrite
