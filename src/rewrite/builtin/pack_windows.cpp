#include "rewrite/builtin/window_edits.h"

namespace hone::rewrite {

// What a group's windows cover is copied to group->shared together with its border, so that no tile meets an edge.
Result<void> pack_windows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  HONE_CHECK(check_rows_apart(schedule));
  lower::Schedule packed = schedule;
  packed.packed = {lower::Dimension::n};
  HONE_TRY(const kernel::Candidate printed, lower::lower_schedule(subject.kernel, packed, subject.dialect));
  schedule = std::move(packed);
  return {};
}

} // namespace hone::rewrite
