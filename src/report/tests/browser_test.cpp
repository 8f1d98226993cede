// The HTML report as a browser shows it: without complaint, without asking the network for anything, and with the
// numbers of the records.
#include "report/format.h"
#include "report/report.h"
#include "sample_report.h"
#include "util/util.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <regex>

namespace hone::report {
namespace {

// The text that a reader sees between the tags.
std::string text_of(const std::string& html)
{
  std::string text = std::regex_replace(html, std::regex("<[^>]*>"), " ");
  for (const auto& [entity, letter] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&nbsp;", " "}, {"&amp;", "&"}}) {
    text = replace_all(text, entity, letter);
  }
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

struct Rendered {
  std::string dom;
  std::vector<std::string> console; // what the page made the browser say
  bool asked_network = false;       // the page, not the browser for itself
};

class Browser : public testing::Test {
protected:
  void SetUp() override
  {
    const auto version = run_process({.argv = {"chromium", "--version"}});
    if (!version || !version->ok()) {
      GTEST_SKIP() << "there is no working chromium here (Debian package chromium)";
    }
    auto made = TemporaryFolder::create("hone-browser-test-");
    ASSERT_TRUE(made) << made.error().text();
    m_folder.emplace(std::move(*made));
  }

  Rendered render(const std::string& html)
  {
    const fs::path page = m_folder->path() / "page.html";
    const fs::path net_log = m_folder->path() / "net.json";
    EXPECT_TRUE(write_file(page, html));
    const auto outcome =
      run_process({.argv = {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                            "--disable-background-networking", "--disable-component-update", "--disable-sync",
                            "--user-data-dir=" + (m_folder->path() / "profile").string(),
                            "--log-net-log=" + net_log.string(), "--virtual-time-budget=3000",
                            "--enable-logging=stderr", "--v=0", "--dump-dom", "file://" + page.string()},
                   .deadline = std::chrono::minutes(3),
                   .output_cap = 16 << 20});
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().text());
    EXPECT_TRUE(outcome && outcome->ok()) << (outcome ? outcome->err : "");
    Rendered result;
    if (outcome) {
      result.dom = outcome->out;
      for (const std::string& line : split(outcome->err, '\n')) {
        if (line.contains(":CONSOLE:")) {
          result.console.push_back(line);
        }
      }
    }
    // A request that a page makes names the page's site; those of the browser itself name none.
    result.asked_network = read_file(net_log).value_or("").contains("{site=file://");
    return result;
  }

  std::optional<TemporaryFolder> m_folder;
};

// The report's own policy on a page that breaks it, and the same page without: the two ways to notice a mistake work.
TEST_F(Browser, ComplaintsAndRequestsAreNoticed)
{
  const std::string wrong = "<body><img src=\"http://127.0.0.1:9/x.png\"></body></html>";
  const std::string policy =
    "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"></head>";
  EXPECT_THAT(render("<!doctype html><html>" + policy + wrong).console, testing::Not(testing::IsEmpty()));
  EXPECT_TRUE(render("<!doctype html><html><head></head>" + wrong).asked_network);
}

TEST_F(Browser, ShowsTheReportQuietlyWithTheNumbersOfTheRecords)
{
  const ReportInput input = test::sample_report();
  const Rendered page = render(html_report(input));
  EXPECT_THAT(page.console, testing::IsEmpty());
  EXPECT_FALSE(page.asked_network);

  const Json json = json_report(input);
  const std::string text = text_of(page.dom);
  EXPECT_THAT(text, testing::HasSubstr(ratio_text(json["speedup"]["ratio"].get<double>()) + " faster than the start"));
  EXPECT_THAT(text, testing::HasSubstr(format_seconds(json["best"]["time_s"]["median"].get<double>())));
  EXPECT_THAT(text, testing::HasSubstr(number_text(json["best"]["gflops"].get<double>()) + " GFLOP/s"));
  EXPECT_THAT(text, testing::HasSubstr(percent_text(json["best"]["ceiling_fraction"].get<double>())));
  for (const Json& baseline : json["baselines"]) {
    EXPECT_THAT(text, testing::HasSubstr(ratio_text(baseline["ratio"].get<double>()))) << baseline;
  }
}

TEST_F(Browser, EveryStepHasItsRow)
{
  const ReportInput input = test::sample_report();
  const std::string dom = render(html_report(input)).dom;
  const Json json = json_report(input);
  const std::regex row_pattern("<summary class=\"step-row\">([\\s\\S]*?)</summary>");
  std::vector<std::string> rows;
  for (std::sregex_iterator row(dom.begin(), dom.end(), row_pattern), end; row != end; ++row) {
    rows.push_back(text_of((*row)[1].str()));
  }
  ASSERT_EQ(rows.size(), json["steps"].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& step = json["steps"][i];
    const Json& verdict = step["record"]["verdict"];
    EXPECT_THAT(rows[i], testing::HasSubstr(step["step"].get<std::string>()));
    EXPECT_THAT(rows[i], testing::HasSubstr(verdict["status"].get<std::string>()));
    for (const Json& comparison : verdict["comparisons"]) {
      EXPECT_THAT(rows[i], testing::HasSubstr(comparison["verdict"].get<std::string>()));
      EXPECT_THAT(rows[i], testing::HasSubstr(ratio_text(comparison["ratio"].get<double>())));
    }
    for (const auto& [regime, time] : verdict["time_s"].items()) {
      EXPECT_THAT(rows[i], testing::HasSubstr(format_seconds(time["median"].get<double>()))) << regime;
    }
  }
}

} // namespace
} // namespace hone::report
