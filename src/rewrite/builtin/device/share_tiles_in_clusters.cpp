#include "rewrite/builtin/device/item_edits.h"

namespace hone::rewrite {

// CLUSTER groups beside each other need the same rows: each brings a part of them for all.
Result<void> share_tiles_in_clusters(lower::Schedule& schedule, const RewriteSubject&)
{
  HONE_CHECK(check_done(schedule, "tensor-copies"));
  add_parameter(schedule, "CLUSTER", {1, 2, 4}, 2);
  return {};
}

} // namespace hone::rewrite
