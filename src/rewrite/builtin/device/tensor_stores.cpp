#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// A finished tile is put together in local memory, and one item stores it by boxes of the output's tensor map.
Result<void> tensor_stores(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "warp-group-instructions"));
  return check_apart(schedule, "split-k-groups", "the parts of a sum are stored in scratch, which has no tensor map");
}

} // namespace hone::rewrite
