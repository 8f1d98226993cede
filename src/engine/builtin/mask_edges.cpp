#include "engine/builtin/rewrites.h"

namespace hone::engine {

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

} // namespace hone::engine
