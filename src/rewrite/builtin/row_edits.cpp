#include "rewrite/builtin/row_edits.h"

#include "lower/rowwise_program.h"

#include <fmt/format.h>

namespace hone::rewrite {

void make_rowwise(lower::Schedule& schedule)
{
  if (schedule.form == "rows") {
    return;
  }
  schedule.form = "rows";
  schedule.loops = {{lower::Dimension::m, lower::LoopKind::group, "1", false, ""},
                    {lower::Dimension::n, lower::LoopKind::serial, "1", false, ""}};
}

Result<void> check_rows(const lower::Schedule& schedule, const RewriteSubject& subject)
{
  std::string reasons;
  lower::Schedule carried = schedule;
  carried.running = true;
  for (const lower::RowStage& stage : lower::row_stages(subject.kernel, carried)) {
    if (stage.plain == nullptr) {
      return {};
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", stage.plain->target, stage.reason);
  }
  return fail(fmt::format("no statement of {} goes row by row ({})", subject.kernel.name, reasons),
              "leave this step out, or write it by hand");
}

} // namespace hone::rewrite
