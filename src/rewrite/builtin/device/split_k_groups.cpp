#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// Parts of each sum are computed in groups of their own, and a second launch adds them up: a small output alone has too
// few groups for a device.
Result<void> split_k_groups(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_tiles(schedule));
  HONE_CHECK(check_apart(schedule, "tensor-copies",
                         "tensor copies are for sums over all terms: a box brings terms of the next part too"));
  HONE_CHECK(
    check_apart(schedule, "tensor-stores", "the parts of a sum are stored in scratch, which has no tensor map"));
  add_parameter(schedule, "SPLIT_K", {1, 2, 4, 8, 16}, 4);
  return {};
}

} // namespace hone::rewrite
