#include "gate/cpus.h"

#include <gmock/gmock.h>

#include <optional>
#include <unistd.h>

using testing::ElementsAre;

namespace hone::gate {
namespace {

// Numbers that no machine has: real ones may be claimed by another test right now.
std::vector<int> cpus_of_this_test()
{
  const int first = 1'000'000 + 10 * getpid();
  return {first + 1, first, first + 2};
}

} // namespace

TEST(CpuClaim, keeps_two_at_once_apart)
{
  const std::vector<int> cpus = cpus_of_this_test();
  const CpuClaim one(cpus), two(cpus);
  EXPECT_EQ(one.cpu(), cpus[0]);
  EXPECT_EQ(two.cpu(), cpus[1]);
}

TEST(CpuClaim, shares_the_first_where_all_are_taken)
{
  const std::vector<int> cpus = {cpus_of_this_test().front()};
  const CpuClaim one(cpus), two(cpus);
  EXPECT_EQ(two.cpu(), cpus.front());
}

TEST(CpuClaim, ends_with_its_owner)
{
  const std::vector<int> cpus = cpus_of_this_test();
  std::optional<CpuClaim> one(cpus);
  const CpuClaim two(cpus);
  one.reset();
  EXPECT_EQ(CpuClaim(cpus).cpu(), cpus[0]);
}

TEST(CpuClaim, comes_first_in_the_order_of_threads)
{
  EXPECT_THAT(beginning_with(5, {7, 6, 5, 4}), ElementsAre(5, 7, 6, 4));
  EXPECT_THAT(beginning_with(7, {7, 6}), ElementsAre(7, 6));
}

} // namespace hone::gate
