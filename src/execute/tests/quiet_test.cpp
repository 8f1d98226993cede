#include "execute/quiet.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::execute {
namespace {

// Looks that find these shares, then the last one for ever.
QuietWait wait_with(std::vector<double> shares, std::vector<double>& told)
{
  QuietWait wait;
  wait.most = std::chrono::hours(1);
  wait.pause = std::chrono::milliseconds(0);
  wait.look = [shares = std::move(shares), i = std::size_t{0}]() mutable {
    const double share = shares[std::min(i, shares.size() - 1)];
    ++i;
    return share;
  };
  wait.told = [&told](double share) { told.push_back(share); };
  return wait;
}

// Would catch one lucky look between two jobs of somebody else.
TEST(WaitForQuiet, NeedsTwoQuietLooksInARow)
{
  std::vector<double> told;
  EXPECT_TRUE(wait_for_quiet(wait_with({0.5, 0.0, 0.5, 0.0, 0.0}, told)));
  EXPECT_EQ(told.size(), 5u);
}

// Would catch a wait without an end.
TEST(WaitForQuiet, EndsWhenItsTimeIsUpOrItIsStopped)
{
  std::vector<double> told;
  QuietWait short_wait = wait_with({0.5}, told);
  short_wait.most = std::chrono::seconds(0);
  EXPECT_FALSE(wait_for_quiet(short_wait));
  EXPECT_EQ(told.size(), 1u);

  std::stop_source stop;
  QuietWait stopped = wait_with({0.5}, told);
  stopped.stop = stop.get_token();
  stopped.told = [&](double) { stop.request_stop(); };
  EXPECT_FALSE(wait_for_quiet(stopped));
}

// Would catch a share that is no share. What it is depends on the machine.
TEST(ProbeLostShare, IsAShare)
{
  for (const int threads : {1, 3}) {
    const double share = probe_lost_share(threads, std::chrono::milliseconds(5));
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
}

} // namespace
} // namespace hone::execute
