#include "policy/spent.h"

namespace hone {

Result<void> book_time(Workflow& workflow, const Verdict& verdict)
{
  for (const auto& [phase, seconds] : verdict.spent) {
    HONE_CHECK(workflow.spend(phase, seconds));
  }
  return {};
}

} // namespace hone
