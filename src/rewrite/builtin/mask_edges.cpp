#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Tiles at the edge are computed like all others; lanes and rows outside are neither loaded nor stored.
Result<void> mask_edges(lower::Schedule& schedule, const RewriteSubject&)
{
  if (!schedule.has_done("vectorize") && !schedule.has_done("register-tiling")) {
    return fail("there are no tiles or vectors that could stick out over an edge",
                "do vectorize or register-tiling first");
  }
  schedule.edges = lower::EdgeTreatment::masked;
  return {};
}

} // namespace hone::rewrite
