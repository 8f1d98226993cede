#include "engine/builtin/row_edits.h"

#include "lower/rowwise_program.h"

#include <fmt/format.h>

namespace hone {

void make_rowwise(Schedule& schedule)
{
  if (schedule.form == "rows") {
    return;
  }
  schedule.form = "rows";
  schedule.loops = {{Dimension::m, LoopKind::group, "1", false, ""}, {Dimension::n, LoopKind::serial, "1", false, ""}};
}

Result<void> check_rows(const Schedule& schedule, const RewriteSubject& subject)
{
  std::string reasons;
  Schedule carried = schedule;
  carried.running = true;
  for (const RowStage& stage : row_stages(subject.kernel, carried)) {
    if (stage.plain == nullptr) {
      return {};
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", stage.plain->target, stage.reason);
  }
  return fail(fmt::format("no statement of {} goes row by row ({})", subject.kernel.name, reasons),
              "leave this step out, or write it by hand");
}

} // namespace hone
