#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// The part of the output that a tile will store is fetched before its sums begin.
Result<void> prefetch_output(lower::Schedule& schedule, const RewriteSubject&)
{
  if (!schedule.has_done("register-tiling") || !schedule.has_done("vectorize")) {
    return fail("there is no tile whose sums take long enough", "do register-tiling and vectorize first");
  }
  schedule.prefetch_output = true;
  return {};
}

} // namespace hone::rewrite
