#include "lower/rowwise_program.h"
#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"
#include "rewrite/builtin/row_edits.h"

#include <algorithm>

namespace hone::rewrite {

// A work-group takes ROWS rows, so that short rows share the price of a call; of a kernel that is one long row it takes
// COLUMNS columns, so that there are several groups at all.
Result<void> tile_rows(lower::Schedule& schedule, const RewriteSubject& subject)
{
  const std::vector<lower::RowStage> stages = lower::row_stages(subject.kernel, schedule);
  const bool rows = std::ranges::any_of(
    stages, [](const lower::RowStage& stage) { return stage.plain == nullptr && stage.program.prefix > 0; });
  const bool columns = std::ranges::any_of(stages, [](const lower::RowStage& stage) {
    return stage.plain == nullptr && stage.program.prefix == 0 && !stage.program.reduces();
  });
  if (!rows && !columns) {
    return fail("no statement goes row by row, or there is one row whose columns depend on each other",
                "leave this step out");
  }
  make_rowwise(schedule);
  if (rows) {
    schedule.loops[static_cast<std::size_t>(lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::group))]
      .step = "ROWS";
    add_parameter(schedule, "ROWS", {2, 4, 8, 16, 32}, 8);
  }
  if (columns) {
    schedule.loops.insert(schedule.loops.begin() + 1,
                          {lower::Dimension::n, lower::LoopKind::group, "COLUMNS", false, ""});
    add_parameter(schedule, "COLUMNS", {4096, 16384, 65536}, 16384);
  }
  return {};
}

} // namespace hone::rewrite
