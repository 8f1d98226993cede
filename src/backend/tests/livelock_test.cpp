#include "backend/cpu/watch/livelock.h"

#include <gtest/gtest.h>

namespace hone::backend::cpu {
namespace {

constexpr double k_step_s = 0.1;

// When a livelock is reported, after the start; 0: not within so many seconds.
double reported_after(double seconds, double changes_every_s)
{
  LivelockDetector livelock;
  for (int i = 0; i * k_step_s < seconds; ++i) {
    const double now = 5 + i * k_step_s;
    if (livelock.observe(now, [&] { return static_cast<std::uint64_t>(i * k_step_s / changes_every_s); })) {
      return i * k_step_s;
    }
  }
  return 0;
}

TEST(LivelockDetector, ReportsMemoryThatDoesNotChange)
{
  EXPECT_NEAR(reported_after(20, 1000), LivelockDetector::k_limit_s, 0.5);
}

TEST(LivelockDetector, StartsAnewWithEachChange)
{
  EXPECT_EQ(reported_after(40, 3), 0);
  EXPECT_NEAR(reported_after(40, 15), LivelockDetector::k_limit_s, 0.5);
}

} // namespace
} // namespace hone::backend::cpu
