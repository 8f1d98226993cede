#include "cli/explanation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace hone;
using namespace hone::cli;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

namespace {

record::ComparisonResult a_comparison()
{
  record::ComparisonResult result;
  result.verdict = record::Comparison::fast;
  result.ratio = 1.04;
  result.ci95 = {1.03, 1.05};
  result.pair_ratios = {1.03, 1.05};
  record::Explanation explanation;
  explanation.rule = "full";
  explanation.candidate_first_s = 50e-6;
  explanation.incumbent_first_s = 52e-6;
  explanation.rounds = {{"full", 2, record::Comparison::ambiguous, "left open: as many pairs again"},
                        {"full", 4, record::Comparison::fast, ""}};
  explanation.pairs = {{1.03, 1.02, 0.004, 30, 2, 128, 2048, 0.1}, {1.05, 1.05, 0.003, 31, 0, 124, 1984, 0.1}};
  result.explanation = explanation;
  return result;
}

std::vector<std::string> lines_of(const record::ComparisonResult& comparison)
{
  return explanation_lines(comparison, "mine", "best", std::nullopt);
}

} // namespace

TEST(ExplanationText, NamesEveryPairTheLimitsAndWhatDecided)
{
  const std::vector<std::string> lines = lines_of(a_comparison());
  EXPECT_THAT(lines,
              Contains(AllOf(HasSubstr("pair 1 "), HasSubstr("1.030x (+3.00 %), its quads scatter by 0.40 %"),
                             HasSubstr("128 blocks, 2048 calls; 2 quads left out, with which it says +2.00 %"))));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("pair 2 "), testing::Not(HasSubstr("left out")))));
  EXPECT_THAT(
    lines, Contains(HasSubstr("every pair beyond 0.5 % on one side; SAME: the 99 % interval of all quads within 1 %")));
  EXPECT_THAT(lines, Contains(HasSubstr("1.030x to 1.050x (95 %, Student's t over 2 pairs)")));
  EXPECT_THAT(lines, Contains(HasSubstr("252 blocks, 4032 calls, 200 ms on the clock; 2 of 63 quads left out")));
  EXPECT_THAT(lines, Contains(HasSubstr("2 pairs (full) say AMBG; left open: as many pairs again")));
  EXPECT_THAT(lines.back(), HasSubstr("both pairs say at least 0.5 % faster: FAST"));
}

TEST(ExplanationText, TheMachineSaysWhatItKnows)
{
  record::ComparisonResult result = a_comparison();
  EXPECT_THAT(lines_of(result), testing::Not(Contains(HasSubstr("machine  "))));
  result.explanation->machine = record::MachineConditions{2.5, 0.02, std::nullopt, std::nullopt, {3.7, 3.1, 3.6}};
  EXPECT_THAT(lines_of(result),
              Contains(HasSubstr("clock 3.10 to 3.70 GHz (counted 3 times); 20 ms of 2.50 s stolen by the "
                                 "hypervisor; throttling not reported here")));
  result.explanation->machine = record::MachineConditions{2.5, std::nullopt, 0.1, 1, {}};
  EXPECT_THAT(lines_of(result),
              Contains(AllOf(HasSubstr("clock not counted"), HasSubstr("stolen time not known"),
                             HasSubstr("stopped for 100 ms by the quota"), HasSubstr("throttled 1 time"))));
}

TEST(ExplanationText, OtherOffsetsAndTheBandAreShownWhereTheyWereMeasured)
{
  record::ComparisonResult result = a_comparison();
  EXPECT_THAT(lines_of(result), Contains(AllOf(HasSubstr("placement"), HasSubstr("not looked into"))));
  result.explanation->elsewhere = {{64, {1.02, 1.01}}, {192, {1.02, 0.99}}};
  record::ComparisonResult band = a_comparison();
  band.verdict = record::Comparison::same;
  band.pair_ratios = {0.998, 1.003};
  const std::vector<std::string> lines = explanation_lines(result, "mine", "best", band);
  EXPECT_THAT(lines,
              Contains(HasSubstr("code shifted by 64 bytes 1.020x, 1.010x; code shifted by 192 bytes 1.020x, 0.990x: "
                                 "the gain is gone")));
  EXPECT_THAT(
    lines, Contains(HasSubstr("mine against a copy of itself: SAME, 1.040x [1.030, 1.050], pairs -0.20 % to +0.30 %")));
}

TEST(ExplanationText, ARecordOfAnOlderVersionSaysThatItHasNone)
{
  EXPECT_THAT(lines_of(record::ComparisonResult{}), testing::ElementsAre(HasSubstr("recorded before")));
}
