#include "engine/builtin/nest_edits.h"
#include "engine/builtin/window_edits.h"

namespace hone {

// The pixels of a plane are numbered, and what their windows cover is laid out as a matrix: vectors are full where rows
// are short.
Result<void> join_rows(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  Schedule joined = schedule;
  joined.packed = {Dimension::k}; // in place of a copy by rows, and of blocks of rows
  std::erase_if(joined.loops, [](const ScheduledLoop& loop) { return loop.dimension == Dimension::batch; });
  remove_parameter(joined, "ROWS");
  add_parameter(joined, "PIXELS", {48, 96, 192, 384}, 96);
  HONE_TRY(const Candidate printed, lower_schedule(subject.kernel, joined, subject.dialect));
  schedule = std::move(joined);
  return {};
}

} // namespace hone
