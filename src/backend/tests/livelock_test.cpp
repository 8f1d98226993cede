#include "backend/cpu/watch/livelock.h"

#include <gtest/gtest.h>

namespace hone::cpu {
namespace {

constexpr double k_step_s = 0.1;

// How long nothing changed when it is said to last; 0: never, in so many seconds.
double lasts_after(double seconds, double changes_every_s)
{
  Standstill standstill;
  for (int i = 0; i * k_step_s < seconds; ++i) {
    const double now = 5 + i * k_step_s;
    if (standstill.lasts(now, [&] { return static_cast<std::uint64_t>(i * k_step_s / changes_every_s); })) {
      return i * k_step_s;
    }
  }
  return 0;
}

TEST(Standstill, LastsWhereNothingChanges)
{
  EXPECT_NEAR(lasts_after(20, 1000), Standstill::k_limit_s, 0.5);
}

TEST(Standstill, EndsWithEachChange)
{
  EXPECT_EQ(lasts_after(40, 3), 0);
  EXPECT_NEAR(lasts_after(40, 15), Standstill::k_limit_s, 0.5);
}

} // namespace
} // namespace hone::cpu
