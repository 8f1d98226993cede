#include "report/climb_summary.h"
#include "report/format.h"
#include "report/label_places.h"
#include "report/report.h"
#include "sample_report.h"
#include "util/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hone::report {
namespace {

// The first tag that does not fit, or "" when every tag is closed in order.
std::string unbalanced_tag(const std::string& html)
{
  static const std::set<std::string> k_void = {"meta", "input", "br"};
  std::vector<std::string> open;
  std::size_t at = html.find("<html");
  for (at = html.find('<', at); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const bool closing = tag.starts_with('/');
    const std::string name = tag.substr(closing ? 1 : 0, tag.find_first_of(" /", closing ? 1 : 0) - (closing ? 1 : 0));
    if (closing) {
      if (open.empty() || open.back() != name) {
        return tag;
      }
      open.pop_back();
    } else if (!tag.ends_with('/') && !k_void.contains(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : open.back();
}

// Untrusted text in every place that has room for some.
ReportInput hostile_report()
{
  const std::string evil = "<script>alert(1)</script>\"'><img src=x onerror=y>&";
  ReportInput input = test::sample_report();
  input.kernel_name = input.kernel_summary = input.expression = input.backend = input.device = evil;
  input.environment = {{evil, evil}};
  input.spent = {{evil, 1}};
  for (BaselineFigure& baseline : input.baselines) {
    baseline.name = baseline.setting = evil;
  }
  for (auto& [id, diff] : input.diffs) {
    diff = "--- " + evil + "\n+++ x\n@@ " + evil + "\n+" + evil + "\n-" + evil + "\n";
  }
  const auto spoil = [&](record::Record& record) {
    record.transformation = record.engine = record.incumbent = record.time_utc = evil;
    record.hone_version = record.candidate = record.id = evil;
    record.verdict.reason = record.verdict.log = record.verdict.errors.worst_where = evil;
    for (record::CheckResult& check : record.verdict.checks) {
      check.name = check.detail = evil;
    }
    for (record::ComparisonResult& comparison : record.verdict.comparisons) {
      comparison.rule = comparison.reason = evil;
    }
    record.verdict.spent = {{evil, 1}};
  };
  for (store::Step& step : input.steps) {
    spoil(step.record);
  }
  for (store::Checkpoint& checkpoint : input.checkpoints) {
    spoil(checkpoint.record);
  }
  return input;
}

// A page is too long to be printed when a test fails: these show the surroundings at most.
testing::AssertionResult has(const std::string& page, const std::string& text)
{
  return page.find(text) != std::string::npos ? testing::AssertionSuccess()
                                              : testing::AssertionFailure() << "missing: " << text;
}
testing::AssertionResult has_no(const std::string& page, const std::string& text)
{
  const std::size_t at = page.find(text);
  return at == std::string::npos ? testing::AssertionSuccess()
                                 : testing::AssertionFailure() << "found: " << page.substr(at < 60 ? 0 : at - 60, 120);
}

TEST(HtmlReport, TagsAreBalanced)
{
  EXPECT_EQ(unbalanced_tag(html_report(test::sample_report())), "");
  EXPECT_EQ(unbalanced_tag(html_report(hostile_report())), "");
  EXPECT_EQ(unbalanced_tag(html_report(ReportInput{})), "");
  EXPECT_EQ(unbalanced_tag("<html><b></i></html>"), "/i");
}

TEST(HtmlReport, UntrustedTextStaysText)
{
  const std::string html = html_report(hostile_report());
  EXPECT_TRUE(has_no(html, "<script"));
  EXPECT_TRUE(has_no(html, "<img"));
  EXPECT_TRUE(has(html, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;"));
}

TEST(HtmlReport, FetchesNothing)
{
  const std::string html = html_report(test::sample_report());
  for (const char* reference : {"http:", "https:", " src=", " href=", "url(", "@import", "<link", "<script"}) {
    EXPECT_TRUE(has_no(html, reference));
  }
  EXPECT_TRUE(has(html, "default-src 'none'"));
}

TEST(HtmlReport, NumbersAreTheRecords)
{
  const ReportInput input = test::sample_report();
  const std::string html = html_report(input);
  for (const store::Step& step : input.steps) {
    const record::Verdict& verdict = step.record.verdict;
    if (verdict.cold) {
      EXPECT_TRUE(has(html, format_seconds(verdict.cold->median)));
      EXPECT_TRUE(has(html, time_interval_text(verdict.cold->ci95)));
      EXPECT_TRUE(has(html, format_seconds(verdict.hot->median)));
    }
    for (const record::ComparisonResult& comparison : verdict.comparisons) {
      EXPECT_TRUE(has(html, ratio_text(comparison.ratio)));
      EXPECT_TRUE(has(html, ratio_interval_text(comparison.ci95, comparison.ratio)));
    }
    EXPECT_TRUE(has(html, escape_html(verdict.reason)));
  }
  for (const BaselineFigure& baseline : input.baselines) {
    EXPECT_TRUE(has(html, ratio_text(baseline.ratio)));
    EXPECT_TRUE(has(html, baseline.setting));
  }
  EXPECT_TRUE(has(html, "97.2 GFLOP/s")); // 2 * 1024^3 / 22.1 ms
  EXPECT_TRUE(has(html, "68.8 %"));       // 15.2 ms / 22.1 ms
}

TEST(HtmlReport, SurvivesStrangeNumbers)
{
  ReportInput input = test::sample_report();
  for (store::Step& step : input.steps) {
    if (step.record.verdict.cold) {
      step.record.verdict.cold->ci95 = {-HUGE_VAL, HUGE_VAL};
    }
    for (record::ComparisonResult& comparison : step.record.verdict.comparisons) {
      comparison.ratio = NAN;
      comparison.ci95 = {-HUGE_VAL, HUGE_VAL};
    }
  }
  input.flops = 0;
  input.floor_s = 0;
  input.checkpoints.front().parent = input.best; // a circle
  const std::string html = html_report(input);
  EXPECT_EQ(unbalanced_tag(html), "");
  EXPECT_TRUE(has_no(html, ">nan"));
  EXPECT_TRUE(has_no(html, "nan "));
  EXPECT_TRUE(has_no(html, "inf"));
}

TEST(ClimbSummary, HeadlineIsTheProductAlongThePath)
{
  const ReportInput input = test::sample_report();
  const ClimbSummary summary = summarize(input);
  EXPECT_EQ(summary.start->id, input.start);
  EXPECT_EQ(summary.best->id, input.best);
  EXPECT_EQ(summary.path.size(), 9u);
  EXPECT_NEAR(summary.headline.ratio, 1.92 / 0.0221, 1e-9);
  EXPECT_LT(summary.headline.ci95.low, summary.headline.ratio);
  EXPECT_GT(summary.headline.ci95.high, summary.headline.ratio);
  EXPECT_EQ(summary.best_baseline->name, "openblas");
}

TEST(ClimbSummary, ADirectComparisonWithTheStartGoesFirst)
{
  ReportInput input = test::sample_report();
  const ClimbSummary before = summarize(input);
  store::Step final{99, before.best->record, ""};
  final.record.incumbent = before.start->record.candidate;
  final.record.verdict.cold = test::sample_time(0.0223);
  final.record.verdict.comparisons.front().ratio = 86.1;
  final.record.verdict.comparisons.front().ci95 = {85.5, 86.8};
  input.steps.push_back(final);
  const ClimbSummary summary = summarize(input);
  EXPECT_EQ(summary.headline.ratio, 86.1);
  EXPECT_EQ(summary.headline.ci95.high, 86.8);
  EXPECT_EQ(summary.headline.source, "measured against the start");
  EXPECT_EQ(summary.best_time->median, 0.0223);
  EXPECT_EQ(summary.steps.back().outcome, StepOutcome::remeasured);
}

TEST(ClimbSummary, LibrariesAreNoSteps)
{
  ReportInput input = test::sample_report();
  const std::size_t steps = input.steps.size();
  input.steps.push_back(input.steps.back());
  input.steps.back().record.baseline = "openblas";
  EXPECT_EQ(summarize(input).steps.size(), steps);
}

TEST(CsvReport, OneLinePerStepAndNothingIsAFormula)
{
  ReportInput input = test::sample_report();
  input.steps[0].record.verdict.reason = "=cmd()";
  input.steps[1].record.verdict.reason = "a \"b\", c";
  const std::string csv = csv_report(input);
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), input.steps.size() + 1);
  EXPECT_TRUE(has(csv, ",'=cmd(),"));
  EXPECT_TRUE(has(csv, ",\"a \"\"b\"\", c\","));
  EXPECT_TRUE(has(csv, "3,loop-order,builtin,on the path,correct,FAST,"));
  EXPECT_TRUE(has(csv, ",0.0221,"));
}

TEST(JsonReport, HoldsTheFigures)
{
  const ReportInput input = test::sample_report();
  const Json json = json_report(input);
  EXPECT_EQ(json["kernel"], "matmul");
  EXPECT_EQ(json["best"]["checkpoint"], input.best);
  EXPECT_EQ(json["best"]["time_s"]["median"], 0.0221);
  EXPECT_EQ(json["steps"].size(), input.steps.size());
  EXPECT_EQ(json["checkpoints"].size(), input.checkpoints.size());
  EXPECT_EQ(json["baselines"][0]["ratio"], 0.842);
  EXPECT_TRUE(json_report(ReportInput{})["best"].is_null());
}

TEST(MarkdownReport, HoldsTheFiguresAndNoForeignMarkup)
{
  const std::string markdown = markdown_report(test::sample_report());
  EXPECT_TRUE(has(markdown, "# matmul"));
  EXPECT_TRUE(has(markdown, "| openblas |"));
  EXPECT_TRUE(has(markdown, "22.1 ms"));
  ReportInput input = test::sample_report();
  input.device = "a|b <i>";
  EXPECT_TRUE(has(markdown_report(input), "a\\|b \\<i\\>"));
}

TEST(LabelPlaces, NeverOverlapAndStayInside)
{
  LabelPlaces places({0, 0, 300, 200});
  std::vector<Box> boxes;
  for (int i = 0; i < 60; ++i) {
    if (const auto box = places.place(20 + 4.5 * i, 100, 60, 14)) {
      boxes.push_back(*box);
    }
  }
  EXPECT_GT(boxes.size(), 6u);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].x, 0);
    EXPECT_LE(boxes[i].x + boxes[i].width, 300);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = boxes[i].x >= boxes[j].x + 60 || boxes[j].x >= boxes[i].x + 60 || boxes[i].y >= boxes[j].y + 14
                         || boxes[j].y >= boxes[i].y + 14;
      EXPECT_TRUE(apart);
    }
  }
}

} // namespace
} // namespace hone::report
