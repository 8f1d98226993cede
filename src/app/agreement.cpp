#include "app/agreement.h"

namespace hone::app {

bool holds(const record::ComparisonResult& then, const record::ComparisonResult& now)
{
  return now.ci95.high * (1 + k_between_sessions) >= then.ci95.low;
}

bool agrees(const record::ComparisonResult& then, const record::ComparisonResult& now)
{
  return holds(then, now) && holds(now, then);
}

} // namespace hone::app
