#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// Full tiles go past the caches when their sums are finished: what is overwritten is not read from memory first. STREAM
// says whether, because who reads the output next may want it in a cache.
Result<void> stream_output(lower::Schedule& schedule, const RewriteSubject&)
{
  if (!schedule.has_done("register-tiling") || !schedule.has_done("vectorize")) {
    return fail("only whole vectors of sums that wait in registers can be stored past the caches",
                "do register-tiling and vectorize first");
  }
  if (schedule.split) {
    return fail("tiles hold parts of sums, which the next launch reads", "leave split-k out where the sum is short");
  }
  schedule.streaming = true;
  add_parameter(schedule, "STREAM", {0, 1}, 1);
  return {};
}

} // namespace hone::rewrite
