#include "policy/spent.h"

namespace hone::policy {

double seconds_spent(const record::Verdict& verdict)
{
  double sum = 0;
  for (const auto& [phase, seconds] : verdict.spent) {
    sum += seconds;
  }
  return sum;
}

Result<void> book_time(store::Workflow& workflow, const record::Verdict& verdict)
{
  for (const auto& [phase, seconds] : verdict.spent) {
    HONE_CHECK(workflow.spend(phase, seconds));
  }
  return {};
}

} // namespace hone::policy
