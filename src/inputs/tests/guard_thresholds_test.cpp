#include "inputs/guard_thresholds.h"

#include <gmock/gmock.h>

namespace hone::inputs {
namespace {

using testing::ElementsAre;

TEST(GuardThresholds, AreWhereAConditionChangesWhateverItIsMadeOf)
{
  kernel::Kernel kernel;
  kernel.symbols = {"m", "n"};
  kernel::Candidate candidate;
  for (const char* condition : {"1", "8 * n <= device.l1", "n % TILE == 0 || n > 100", "m * n > 5000", "n / (m - m)"}) {
    kernel::LaunchSpec launch;
    launch.when = kernel::PlanExpression::parse(condition, {}).value();
    candidate.plan.launches.push_back(launch);
  }
  candidate.plan.tuning.parameters.push_back({"TILE", {1024}, 1024});
  // Of n: 101 (the tile), 1001 (with m at 5), 4097 (the cache); of m: 1001.
  EXPECT_THAT(guard_thresholds(kernel, candidate, {}, {{"device.l1", 32768}}), ElementsAre(101, 1001, 4097));
}

} // namespace
} // namespace hone::inputs
