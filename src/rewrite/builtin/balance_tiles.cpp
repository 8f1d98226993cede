#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// The register tiles of all rows are dealt out to the groups evenly: the last block of rows is no shorter than the
// others, so that no thread waits for one that has a block more.
Result<void> balance_tiles(lower::Schedule& schedule, const RewriteSubject&)
{
  if (lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::serial) < 0) {
    return fail("no group computes more than one tile of rows", "do cache-tiling first");
  }
  schedule.balanced = true;
  return {};
}

} // namespace hone::rewrite
