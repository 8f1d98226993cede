#include "engine/builtin/rewrites.h"

namespace hone {

// The rows of B that are unrolled together come from distant parts of k: as many streams for the memory as there are
// rows, each of which goes on where it left off.
Result<void> spread_k(Schedule& schedule, const RewriteSubject&)
{
  if (!schedule.has_done("unroll-k") || schedule.has_done("register-tiling")
      || find_innermost(schedule, Dimension::k, LoopKind::serial)
           > find_innermost(schedule, Dimension::n, LoopKind::serial)) {
    return fail("no rows of B are added to the output together", "do reorder-loops and unroll-k first");
  }
  schedule.spread = true;
  return {};
}

} // namespace hone
