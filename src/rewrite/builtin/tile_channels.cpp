#include "lower/window_view.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/window_edits.h"

namespace hone::rewrite {

// A tile computes CHANNELS channels at a time: what is loaded along the columns serves all of them.
Result<void> tile_channels(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_window_vectors(schedule));
  HONE_TRY(const lower::WindowView view, lower::window_view(subject.kernel));
  if (view.channel.empty()) {
    return fail("every index of the output selects other elements: no loads could be shared", "leave this step out");
  }
  schedule.loops.insert(schedule.loops.begin(),
                        {lower::Dimension::m, lower::LoopKind::registers, "CHANNELS", false, ""});
  add_parameter(schedule, "CHANNELS", {2, 4, 6, 8, 12, 14, 16}, k_usual_channels);
  return {};
}

} // namespace hone::rewrite
