#include "lower/rowwise_program.h"
#include "rewrite/builtin/rewrites.h"
#include "rewrite/builtin/row_edits.h"

#include <algorithm>

namespace hone::rewrite {

// A reduction up to the column is not begun anew for every column: what it has come to is carried along.
Result<void> running_sums(lower::Schedule& schedule, const RewriteSubject& subject)
{
  lower::Schedule carried = schedule;
  carried.running = true;
  const std::vector<lower::RowStage> stages = lower::row_stages(subject.kernel, carried);
  const bool runs = std::ranges::any_of(stages, [](const lower::RowStage& stage) {
    return std::ranges::any_of(stage.program.levels, [](const lower::RowLevel& level) {
      return std::ranges::any_of(level.passes, [](const lower::RowPass& pass) {
        return std::ranges::any_of(pass.tasks, [](const lower::RowTask& task) { return task.running; });
      });
    });
  });
  if (!runs) {
    return fail("no reduction runs from 0 up to the column that it belongs to", "leave this step out");
  }
  make_rowwise(schedule);
  schedule.running = true;
  return {};
}

} // namespace hone::rewrite
