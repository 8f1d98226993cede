#include "lower/window_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/window_edits.h"

namespace hone::rewrite {

// A work-group takes ROWS neighbouring rows of the output: they share the rows of the input, and the price of a call.
Result<void> block_windows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  HONE_CHECK(check_rows_apart(schedule));
  HONE_TRY(const lower::WindowView view, lower::window_view(subject.kernel));
  if (view.outer.empty()) {
    return fail("the output has one row of columns only", "leave this step out");
  }
  schedule.loops.insert(schedule.loops.begin(), {lower::Dimension::batch, lower::LoopKind::group, "ROWS", false, ""});
  add_parameter(schedule, "ROWS", {2, 4, 8, 16, 32}, 8);
  return {};
}

} // namespace hone::rewrite
