#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

#include <utility>

namespace hone::rewrite {

// ijk becomes ikj: k goes outside the loop over columns, so that B and the output are walked along their rows. The
// sums then live in the output instead of a local variable.
Result<void> reorder_loops(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (schedule.has_done("register-tiling")) {
    return fail("the register tile already runs k outside its rows and columns",
                "do reorder-loops before register-tiling");
  }
  HONE_CHECK(check_partial_sums(subject.kernel));
  const int columns = lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial);
  const int depth = lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial);
  std::swap(schedule.loops[static_cast<std::size_t>(columns)], schedule.loops[static_cast<std::size_t>(depth)]);
  return {};
}

} // namespace hone::rewrite
