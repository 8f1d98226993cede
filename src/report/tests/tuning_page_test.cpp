// The tuning space and the roofline of the HTML report.
#include "report/parameter_importance.h"
#include "report/tests/sample_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Speed depends on T alone.
std::vector<TuningTrial> trials_by_t()
{
  std::vector<TuningTrial> trials;
  for (const std::int64_t t : {1, 2, 4}) {
    for (const std::int64_t u : {1, 2}) {
      trials.push_back({{{"T", t}, {"U", u}}, std::exp(0.1 * static_cast<double>(t))});
    }
  }
  return trials;
}

// Would catch shares that go to the wrong parameter, or that are no shares.
TEST(ParameterImportance, IsTheShareBetweenTheValues)
{
  const auto parameters = importance_of_parameters(trials_by_t());
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].name, "T");
  EXPECT_NEAR(parameters[0].share, 1, 1e-9);
  EXPECT_NEAR(parameters[1].share, 0, 1e-9);
}

// Would catch a share of a parameter that was never varied, and of one that had each value once.
TEST(ParameterImportance, SaysNothingWhereNothingCanBeSaid)
{
  EXPECT_TRUE(importance_of_parameters({}).empty());
  EXPECT_TRUE(importance_of_parameters({{{{"T", 1}}, 1.0}, {{{"T", 1}}, 1.1}}).empty());
  EXPECT_TRUE(importance_of_parameters({{{{"T", 1}}, 1.0}, {{{"T", 2}}, 1.1}}).empty());
  EXPECT_TRUE(importance_of_parameters({{{{"T", 1}}, 1.0}, {{{"T", 1}}, 1.0}, {{{"T", 2}}, 1.0}}).empty());
}

void add_trials(ReportInput& input)
{
  for (const TuningTrial& trial : trials_by_t()) {
    store::Step step;
    step.record = input.steps.back().record;
    step.record.transformation = "tune-trial";
    step.record.parent = input.start;
    step.record.point = trial.point;
    step.record.verdict.status = record::Status::correct;
    step.record.verdict.comparisons.resize(1);
    step.record.verdict.comparisons.front().ratio = trial.ratio;
    input.steps.push_back(step);
  }
}

// Would catch trials that are listed one by one between the steps.
TEST(HtmlReport, FoldsTuningPointsAndPlotsThem)
{
  ReportInput input = test::sample_report();
  EXPECT_THAT(html_report(input), Not(HasSubstr("The tuning space")));
  add_trials(input);
  const std::string html = html_report(input);
  EXPECT_THAT(html, HasSubstr("6 tuning points</span>"));
  EXPECT_THAT(html, HasSubstr("T: explains 100"));
  EXPECT_LT(html.find("id=\"steps\""), html.find("id=\"tuning\""));
}

// Would catch a picture that names the wrong limit, or that is drawn from figures that nobody measured.
TEST(HtmlReport, DrawsTheRooflineWhereItIsKnown)
{
  ReportInput input = test::sample_report();
  EXPECT_THAT(html_report(input), Not(HasSubstr("aria-label=\"roofline\"")));
  input.roofline = {.gflops = 141, .gbytes = {{"L2", 60}, {"DRAM", 20}}, .bytes = 12.6e6, .bound_by = {}};
  EXPECT_THAT(html_report(input), HasSubstr("Compute-bound. The roof is arithmetic, 141 GFLOP/s."));
  EXPECT_THAT(html_report(input), HasSubstr("memory 20"));
  input.roofline.bound_by = "DRAM";
  EXPECT_THAT(html_report(input), HasSubstr("Bandwidth-bound (memory). The roof is the bandwidth of memory, 20"));
  input.floor_s /= 100;
  EXPECT_THAT(html_report(input), HasSubstr("Latency-bound"));
  input.flops = 0;
  EXPECT_THAT(html_report(input), Not(HasSubstr("aria-label=\"roofline\"")));
}

} // namespace
} // namespace hone::report
