#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// The rows of B that are unrolled together come from distant parts of k: as many streams for the memory as there are
// rows, each of which goes on where it left off.
Result<void> spread_k(lower::Schedule& schedule, const RewriteSubject&)
{
  if (!schedule.has_done("unroll-k") || schedule.has_done("register-tiling")
      || lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial)
           > lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial)) {
    return fail("no rows of B are added to the output together", "do reorder-loops and unroll-k first");
  }
  schedule.spread = true;
  return {};
}

} // namespace hone::rewrite
