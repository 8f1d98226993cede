#include "policy/judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace hone::policy {
namespace {

record::Verdict verdict_of(record::Comparison comparison, double ratio)
{
  record::ComparisonResult result;
  result.verdict = comparison;
  result.ratio = ratio;
  result.ci95 = {ratio * 0.99, ratio * 1.01};
  record::Verdict verdict;
  verdict.comparisons = {result};
  return verdict;
}

Choice choice(catalogue::Speed speed, record::Comparison comparison, double ratio)
{
  return decide(speed, verdict_of(comparison, ratio), record::Regime::cold).choice;
}

TEST(Decide, FastIsAlwaysAccepted)
{
  for (const catalogue::Speed speed : {catalogue::Speed::faster, catalogue::Speed::neutral, catalogue::Speed::later}) {
    EXPECT_EQ(choice(speed, record::Comparison::fast, 1.5), Choice::accept);
  }
}

TEST(Decide, NeutralIsKeptWhileItCostsNothing)
{
  EXPECT_EQ(choice(catalogue::Speed::neutral, record::Comparison::same, 1.0), Choice::accept);
  EXPECT_EQ(choice(catalogue::Speed::neutral, record::Comparison::ambiguous, 0.985), Choice::accept);
  EXPECT_EQ(choice(catalogue::Speed::neutral, record::Comparison::ambiguous, 0.94), Choice::reject);
  EXPECT_EQ(choice(catalogue::Speed::neutral, record::Comparison::slow, 0.985), Choice::reject);
}

TEST(Decide, LaterIsKeptOpen)
{
  EXPECT_EQ(choice(catalogue::Speed::later, record::Comparison::slow, 0.5), Choice::keep_open);
  EXPECT_EQ(choice(catalogue::Speed::later, record::Comparison::same, 1.0), Choice::keep_open);
}

TEST(Decide, FasterMustBeFaster)
{
  EXPECT_EQ(choice(catalogue::Speed::faster, record::Comparison::same, 1.0), Choice::reject);
  EXPECT_EQ(choice(catalogue::Speed::faster, record::Comparison::slow, 0.5), Choice::reject);
  EXPECT_EQ(choice(catalogue::Speed::faster, record::Comparison::ambiguous, 1.005), Choice::reject);
}

TEST(Decide, AmbiguousIsKeptWhereItsIntervalBeginsAbove1)
{
  EXPECT_EQ(choice(catalogue::Speed::faster, record::Comparison::ambiguous, 1.03), Choice::accept);
  EXPECT_EQ(choice(catalogue::Speed::faster, record::Comparison::same, 1.03), Choice::reject);
}

TEST(Decide, AmbiguousThatPromisesIsKeptOpen)
{
  record::Verdict verdict = verdict_of(record::Comparison::ambiguous, 1.05);
  verdict.comparisons.front().ci95.low = 0.98;
  EXPECT_EQ(decide(catalogue::Speed::faster, verdict, record::Regime::cold).choice, Choice::keep_open);
  verdict.comparisons.front().ci95.low = 0.9;
  EXPECT_EQ(decide(catalogue::Speed::faster, verdict, record::Regime::cold).choice, Choice::reject);
}

TEST(Decide, WrongIsRejectedWithTheGatesReason)
{
  record::Verdict verdict;
  verdict.status = record::Status::correctness;
  verdict.reason = "C[0, 0] is off";
  const Decision decision = decide(catalogue::Speed::later, verdict, record::Regime::cold);
  EXPECT_EQ(decision.choice, Choice::reject);
  EXPECT_EQ(decision.reason, "C[0, 0] is off");
}

TEST(JudgementOf, TakesTheRegimeThatDecides)
{
  record::Verdict verdict = verdict_of(record::Comparison::fast, 2.0);
  verdict.comparisons.push_back(verdict_of(record::Comparison::slow, 0.5).comparisons.front());
  verdict.comparisons.back().regime = record::Regime::hot;
  EXPECT_EQ(judgement_of(verdict, record::Regime::cold).ratio, 2.0);
  EXPECT_EQ(judgement_of(verdict, record::Regime::hot).ratio, 0.5);
}

TEST(JudgementOf, FallsBackOnTheEstimateWithoutAnInterval)
{
  record::Verdict verdict = verdict_of(record::Comparison::fast, 2.0);
  verdict.comparisons.front().ci95 = {-std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::infinity()};
  EXPECT_EQ(judgement_of(verdict, record::Regime::cold).low, 2.0);
}

TEST(JudgementOf, TakesTheWorseOfTwoPairs)
{
  record::Verdict verdict = verdict_of(record::Comparison::fast, 3.0);
  verdict.comparisons.front().pair_ratios = {2.9, 3.1};
  verdict.comparisons.front().ci95 = {0.8, 12}; // Student's t with one degree of freedom
  EXPECT_EQ(judgement_of(verdict, record::Regime::cold).low, 2.9);
}

TEST(GainTest, MultipliesAlongThePath)
{
  const Gain start;
  const Gain slower = start.times(judgement_of(verdict_of(record::Comparison::slow, 0.5), record::Regime::cold));
  const Gain faster = slower.times(judgement_of(verdict_of(record::Comparison::fast, 3.0), record::Regime::cold));
  EXPECT_DOUBLE_EQ(faster.ratio, 1.5);
  EXPECT_FALSE(is_confirmed_gain(slower, start));
  EXPECT_TRUE(is_confirmed_gain(faster, start));
}

TEST(GainTest, AProductWithinTheIntervalsIsNotConfirmed)
{
  const Gain start;
  const Gain back = start.times(judgement_of(verdict_of(record::Comparison::slow, 0.5), record::Regime::cold))
                      .times(judgement_of(verdict_of(record::Comparison::fast, 2.01), record::Regime::cold));
  EXPECT_GT(back.ratio, 1.0);
  EXPECT_FALSE(is_confirmed_gain(back, start));
}

} // namespace
} // namespace hone::policy
