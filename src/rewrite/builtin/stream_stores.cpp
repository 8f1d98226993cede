#include "lower/rowwise_program.h"
#include "rewrite/builtin/rewrites.h"

#include <algorithm>

namespace hone::rewrite {

// Whole vectors of an output go past the caches; what waited in the output's row waits in group->shared.
Result<void> stream_stores(lower::Schedule& schedule, const RewriteSubject& subject)
{
  if (!schedule.has_done("vectorize-rows")) {
    return fail("only whole vectors can be stored past the caches", "do vectorize-rows first");
  }
  const bool stores =
    std::ranges::any_of(lower::row_stages(subject.kernel, schedule), [](const lower::RowStage& stage) {
      return stage.plain == nullptr && std::ranges::any_of(stage.program.targets, [](const auto& entry) {
               return !entry.second.statement->intermediate;
             });
    });
  if (!stores) {
    return fail("no output has a value for every column", "leave this step out");
  }
  schedule.streaming = true;
  return {};
}

} // namespace hone::rewrite
