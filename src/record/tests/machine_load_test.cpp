#include "record/machine_load.h"
#include "record/record.h"

#include <gtest/gtest.h>

namespace hone::record {
namespace {

ComparisonResult timed(double seconds, double missing)
{
  ComparisonResult comparison;
  comparison.explanation.emplace();
  comparison.explanation->on_clock_s = seconds;
  comparison.explanation->cpu_missing = missing;
  return comparison;
}

// Would catch a share that counts short comparisons like long ones.
TEST(MachineLoad, IsWeightedByTheTimeOfEachComparison)
{
  Verdict verdict;
  EXPECT_EQ(load_of(verdict, 1).share(), 0) << "nothing was timed";
  verdict.comparisons = {timed(9, 0), timed(1, 0.5)};
  const MachineLoad load = load_of(verdict, 1);
  EXPECT_DOUBLE_EQ(load.timed_s, 10);
  EXPECT_DOUBLE_EQ(load.share(), 0.05);
  EXPECT_FALSE(load.busy());
  verdict.comparisons = {timed(1, 0.5)};
  EXPECT_TRUE(load_of(verdict, 1).busy());
}

// Would catch steal time that is left out, or counted for CPUs that no runner had.
TEST(MachineLoad, TakesTheLargerOfLostAndStolen)
{
  Verdict verdict;
  verdict.comparisons = {timed(1, 0.1)};
  verdict.comparisons.front().explanation->machine = MachineConditions{.seconds = 2, .stolen_s = 0.8};
  EXPECT_DOUBLE_EQ(load_of(verdict, 1).share(), 0.4);
  EXPECT_DOUBLE_EQ(load_of(verdict, 2).share(), 0.2);
  EXPECT_DOUBLE_EQ(load_of(verdict, 8).share(), 0.1);
}

// Would catch records that keep the load to themselves.
TEST(MachineLoad, StandsInTheRecord)
{
  Record record;
  record.verdict.comparisons = {timed(2, 0.25)};
  const Json json = to_json(record);
  EXPECT_EQ(json.at("load").at("timed_s"), 2);
  EXPECT_EQ(json.at("load").at("lost_s"), 0.5);
  EXPECT_EQ(json.at("load").at("busy"), true);
}

} // namespace
} // namespace hone::record
