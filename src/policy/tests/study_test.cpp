#include "policy/spread.h"
#include "policy/success.h"

#include <gmock/gmock.h>

namespace hone::policy {
namespace {

using testing::ElementsAre;
using testing::Pair;

StepSample sample_of(const std::string& step, bool right, const std::string& first_fault, double ratio = 0,
                     record::Comparison comparison = record::Comparison::same)
{
  StepSample sample{.step = step, .answers = first_fault.empty() ? 1 : 2, .first_fault = first_fault};
  sample.right = right;
  sample.fault = right ? "" : "compile";
  sample.ratio = ratio;
  sample.comparison = comparison;
  sample.tokens = 100;
  return sample;
}

TEST(Success, CountsWhatWasRightAtOnceAndInTheEnd)
{
  const std::vector<StepSuccess> all = success_rates({sample_of("a", true, "", 2.0, record::Comparison::fast),
                                                      sample_of("a", true, "compile", 0.5, record::Comparison::slow),
                                                      sample_of("a", false, "plan"), sample_of("b", false, "")});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].step, "a");
  EXPECT_EQ(all[0].n, 3);
  EXPECT_EQ(all[0].first_try, 1);
  EXPECT_EQ(all[0].right, 2);
  EXPECT_EQ(all[0].faster, 1);
  EXPECT_EQ(all[0].slower, 1);
  EXPECT_DOUBLE_EQ(all[0].median_ratio, 1.25);
  EXPECT_THAT(all[0].faults, ElementsAre(Pair("compile", 1), Pair("plan", 1)));
  EXPECT_THAT(all[1].faults, ElementsAre(Pair("compile", 1))) << "answers that passed until the gate's last word";
  EXPECT_EQ(all[2].step, "");
  EXPECT_EQ(all[2].n, 4);
  EXPECT_DOUBLE_EQ(all[2].tokens_each, 100);
  EXPECT_EQ(success_rates({sample_of("a", true, "")}).size(), 1u);
}

// Chen et al., 2021: with c of n right, 1 - C(n - c, k) / C(n, k).
TEST(Success, PassAtKIsTheChanceOfOneInK)
{
  EXPECT_DOUBLE_EQ(pass_at(10, 3, 1), 0.3);
  EXPECT_NEAR(pass_at(10, 3, 5), 1 - 21.0 / 252, 1e-12);
  EXPECT_DOUBLE_EQ(pass_at(10, 0, 5), 0);
  EXPECT_DOUBLE_EQ(pass_at(10, 6, 5), 1);
  EXPECT_DOUBLE_EQ(pass_at(3, 3, 5), 0) << "nobody tried so often";
}

// Values of Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
TEST(Success, IntervalsOfShares)
{
  const Interval many = wilson_interval(81, 263);
  EXPECT_NEAR(many.low, 0.2553, 5e-5);
  EXPECT_NEAR(many.high, 0.3662, 5e-5);
  const Interval none = wilson_interval(0, 20);
  EXPECT_NEAR(none.low, 0, 1e-12);
  EXPECT_NEAR(none.high, 0.1611, 5e-5);
  EXPECT_DOUBLE_EQ(wilson_interval(0, 0).high, 1);
}

TEST(Success, AnAttemptIsReadAsItWasWritten)
{
  const StepSample sample = sample_of("a", true, "hang", 1.5, record::Comparison::fast);
  const auto read = step_sample_from(to_json(sample));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(sample));
  EXPECT_FALSE(step_sample_from(Json{{"step", 1}}));
}

TEST(Spread, GroupsKeepTheirOrderAndTheirEnds)
{
  const std::vector<StudiedGroup> groups = groups_of({{.group = "30 s", .ratio = 2},
                                                      {.group = "10 s", .ratio = 1.5},
                                                      {.group = "30 s", .ratio = 3},
                                                      {.group = "30 s", .ratio = 0},
                                                      {.group = "5 s", .ratio = 0}});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].group, "30 s");
  EXPECT_EQ(groups[0].n, 3);
  EXPECT_EQ(groups[0].failed, 1);
  EXPECT_DOUBLE_EQ(groups[0].median, 2.5);
  EXPECT_DOUBLE_EQ(groups[0].least, 2);
  EXPECT_DOUBLE_EQ(groups[0].largest, 3);
  EXPECT_DOUBLE_EQ(groups[2].median, 0);
}

} // namespace
} // namespace hone::policy
