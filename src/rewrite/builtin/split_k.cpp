#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Parts of the sum are computed side by side, in groups of their own: a small output alone has too few of them for
// several threads. A second launch adds the parts up.
Result<void> split_k(lower::Schedule& schedule, const RewriteSubject&)
{
  if (schedule.streaming) {
    return fail("finished tiles are stored past the caches, and parts of sums are read again",
                "leave stream-output out where the sum is long");
  }
  schedule.split = true;
  add_parameter(schedule, "SPLIT_K", {2, 4, 8, 16}, 4);
  return {};
}

} // namespace hone::rewrite
