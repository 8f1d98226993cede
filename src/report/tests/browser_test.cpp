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

// What the page measures of itself in a frame of this width, with all of its folds open.
struct Layout {
  int beyond = -1;                   // pixels by which the page is wider than the frame; -1: nothing was measured
  int labels = 0;                    // of the roofline
  std::vector<std::string> overlaps; // pairs of these
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

  // The report's policy forbids scripts: the copy that measures itself is without it.
  Layout layout(const std::string& html, int width)
  {
    const std::string measure = R"js(<script>addEventListener('load', () => {
      document.querySelectorAll('details').forEach(fold => fold.open = true);
      const texts = [...document.querySelectorAll('svg[aria-label="roofline"] text')];
      const boxes = texts.map(text => text.getBoundingClientRect());
      const overlaps = [];
      for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
        const a = boxes[i], b = boxes[j];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const least = Math.min(a.height, b.height);
        if (across > 1 && down > least / 4) overlaps.push(texts[i].textContent + ' / ' + texts[j].textContent);
      }
      parent.postMessage({beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth, labels: texts.length, overlaps}, '*');
    })</script>)js";
    const std::regex policy("<meta http-equiv=\"Content-Security-Policy\"[^>]*>");
    EXPECT_TRUE(write_file(m_folder->path() / "framed.html",
                           std::regex_replace(html, policy, "", std::regex_constants::format_first_only) + measure));
    const std::string frame = fmt::format(
      R"(<!doctype html><body><iframe src="framed.html" style="width:{}px;height:900px;border:0"></iframe>)"
      R"(<script>onmessage = message => document.body.dataset.layout = JSON.stringify(message.data)</script></body>)",
      width);
    const std::string dom = render(frame).dom;
    std::smatch found;
    Layout out;
    if (std::regex_search(dom, found, std::regex("data-layout=\"([^\"]*)\""))) {
      const auto measured =
        parse_json(replace_all(replace_all(found[1].str(), "&quot;", "\""), "&amp;", "&"), "layout");
      EXPECT_TRUE(measured) << found[1].str();
      if (measured) {
        out = {(*measured)["beyond"].get<int>(), (*measured)["labels"].get<int>(),
               (*measured)["overlaps"].get<std::vector<std::string>>()};
      }
    }
    return out;
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

// A page that is too wide and labels that lie on each other are noticed.
TEST_F(Browser, WidePagesAndOverlapsAreNoticed)
{
  const std::string wrong =
    R"(<!doctype html><html><head></head><body style="margin:0"><div style="width:500px">x</div>)"
    R"(<svg aria-label="roofline" width="300" height="50"><text x="9" y="30">one</text>)"
    R"(<text x="11" y="30">two</text><text x="200" y="30">three</text></svg></body></html>)";
  const Layout measured = layout(wrong, 400);
  EXPECT_EQ(measured.beyond, 100);
  EXPECT_THAT(measured.overlaps, testing::ElementsAre("one / two"));
}

// A kernel that arithmetic bounds, and one whose points lie among the lines of the bandwidths.
TEST_F(Browser, TheReportFitsNarrowAndWideScreens)
{
  for (const double bytes : {12.6e6, 8e8}) {
    ReportInput input = test::sample_report();
    input.roofline = {};
    input.roofline.gflops = 118;
    input.roofline.bytes = bytes;
    input.roofline.gbytes = {{"L1", 480}, {"L2", 190}, {"L3", 92}, {"DRAM", 31}};
    const std::string html = html_report(input);
    for (const int width : {400, 1280}) {
      const Layout measured = layout(html, width);
      EXPECT_EQ(measured.beyond, 0) << bytes << " bytes, " << width << " pixels";
      EXPECT_GT(measured.labels, 8) << bytes << " bytes, " << width << " pixels";
      EXPECT_THAT(measured.overlaps, testing::IsEmpty()) << bytes << " bytes, " << width << " pixels";
    }
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
