#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// UNROLL_K steps of the innermost loop over k are printed as one.
Result<void> unroll_k(lower::Schedule& schedule, const RewriteSubject&)
{
  const int depth = lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial);
  schedule.loops[static_cast<std::size_t>(depth)].unroll = "UNROLL_K";
  add_parameter(schedule, "UNROLL_K", {1, 2, 4, 8}, 2);
  return {};
}

} // namespace hone::rewrite
