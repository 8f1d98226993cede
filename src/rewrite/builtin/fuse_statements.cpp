#include "lower/rowwise_program.h"
#include "rewrite/builtin/rewrites.h"
#include "rewrite/builtin/row_edits.h"

#include <algorithm>

namespace hone::rewrite {

// Neighbouring statements over the same rows become one launch: a row is finished before the next one begins, values
// per row stay in local variables.
Result<void> fuse_statements(lower::Schedule& schedule, const RewriteSubject& subject)
{
  lower::Schedule together = schedule;
  together.fused = true;
  const std::vector<lower::RowStage> stages = lower::row_stages(subject.kernel, together);
  const bool joins = std::ranges::any_of(
    stages, [](const lower::RowStage& stage) { return stage.plain == nullptr && stage.program.statements.size() > 1; });
  if (!joins) {
    const auto told = std::ranges::find_if(stages, [](const lower::RowStage& stage) { return !stage.reason.empty(); });
    return fail(subject.kernel.program.statements.size() < 2
                  ? std::string("there is one statement only")
                  : "no two neighbouring statements go over the same rows"
                      + (told == stages.end() ? "" : ": " + told->plain->target + ": " + told->reason),
                "leave this step out");
  }
  make_rowwise(schedule);
  schedule.fused = true;
  return {};
}

} // namespace hone::rewrite
