#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/window_edits.h"

namespace hone::rewrite {

// The pixels of a plane are numbered, and what their windows cover is laid out as a matrix: vectors are full where rows
// are short.
Result<void> join_rows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  lower::Schedule joined = schedule;
  joined.packed = {lower::Dimension::k}; // in place of a copy by rows, and of blocks of rows
  std::erase_if(joined.loops,
                [](const lower::ScheduledLoop& loop) { return loop.dimension == lower::Dimension::batch; });
  remove_parameter(joined, "ROWS");
  add_parameter(joined, "PIXELS", {48, 96, 192, 384}, 96);
  HONE_TRY(const kernel::Candidate printed, lower::lower_schedule(subject.kernel, joined, subject.dialect));
  schedule = std::move(joined);
  return {};
}

} // namespace hone::rewrite
