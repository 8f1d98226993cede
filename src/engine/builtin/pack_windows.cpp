#include "engine/builtin/window_edits.h"

namespace hone {

// What a group's windows cover is copied to group->shared together with its border, so that no tile meets an edge.
Result<void> pack_windows(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  HONE_CHECK(check_rows_apart(schedule));
  Schedule packed = schedule;
  packed.packed = {Dimension::n};
  HONE_TRY(const Candidate printed, lower_schedule(subject.kernel, packed, subject.dialect));
  schedule = std::move(packed);
  return {};
}

} // namespace hone
