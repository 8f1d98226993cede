#include "gate/machine_watch.h"

#include <gtest/gtest.h>

namespace hone::gate {
namespace {

constexpr std::string_view k_stat = "cpu  30 0 5 900 8 0 2 73 0 0\n"
                                    "cpu0 10 0 2 450 3 0 1 40 0 0\n"
                                    "cpu1 15 0 2 250 3 0 1 30 0 0\n"
                                    "cpu10 5 0 1 200 2 0 0 3 0 0\n"
                                    "intr 1 2 3\n";

TEST(MachineWatch, StolenTimeIsThatOfTheGivenCpus)
{
  EXPECT_DOUBLE_EQ(stolen_seconds(k_stat, std::vector{0}, 100).value(), 0.40);
  EXPECT_DOUBLE_EQ(stolen_seconds(k_stat, std::vector{1, 10}, 100).value(), 0.33);
  EXPECT_FALSE(stolen_seconds(k_stat, std::vector{7}, 100));
  EXPECT_FALSE(stolen_seconds("cpu0 10 0 2 450\n", std::vector{0}, 100)); // an old kernel: no such column
  EXPECT_FALSE(stolen_seconds("", std::vector{0}, 100));
}

TEST(MachineWatch, AQuotaCountsOnlyWhereThereIsOne)
{
  EXPECT_DOUBLE_EQ(quota_seconds("usage_usec 5\nnr_throttled 2\nthrottled_usec 250000\n").value(), 0.25);
  EXPECT_FALSE(quota_seconds("usage_usec 5\n"));
  EXPECT_FALSE(quota_seconds("throttled_usec much\n"));
}

TEST(MachineWatch, SaysWhatItSawSinceItsBeginning)
{
  MachineWatch watch({0});
  watch.count_clock();
  watch.count_clock();
  const record::MachineConditions conditions = watch.conditions();
  EXPECT_GT(conditions.seconds, 0);
  if (conditions.stolen_s) {
    EXPECT_LT(*conditions.stolen_s, 3600); // since the beginning, not since the machine started
  }
#if defined(__x86_64__) || defined(__aarch64__)
  ASSERT_EQ(conditions.clocks_ghz.size(), 2U);
  EXPECT_GT(conditions.clocks_ghz[0], 0.2); // a clock of this century, however busy the machine is
  EXPECT_LT(conditions.clocks_ghz[0], 10);
#endif
}

} // namespace
} // namespace hone::gate
