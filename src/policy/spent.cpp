#include "policy/spent.h"

namespace hone::policy {

Result<void> book_time(store::Workflow& workflow, const record::Verdict& verdict)
{
  for (const auto& [phase, seconds] : verdict.spent) {
    HONE_CHECK(workflow.spend(phase, seconds));
  }
  return {};
}

} // namespace hone::policy
