#include "report/checkpoint_graph.h"
#include "report/climb_chart.h"
#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::report {

namespace {

std::string legend(const ReportInput& input, const ClimbSummary& summary)
{
  const auto dot = [](std::string_view css, std::string_view words) {
    return fmt::format(
      R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><circle class="{}" cx="9" cy="6" r="4.5"/></svg>{}</li>)", css,
      words);
  };
  const auto has = [&](StepOutcome outcome) {
    return std::any_of(summary.steps.begin(), summary.steps.end(),
                       [&](const StepSummary& m) { return m.outcome == outcome; });
  };
  std::string items = dot("p-path", "taken: the path to the best");
  items += has(StepOutcome::branch) ? dot("p-branch", "side branch") : "";
  items += has(StepOutcome::remeasured) ? dot("p-again", "measured again") : "";
  items += has(StepOutcome::passed_over) ? dot("p-over", "right, but not taken") : "";
  items +=
    has(StepOutcome::failed)
      ? R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><path class="p-failed" d="M5.5 2.5l7 7m0 -7l-7 7"/></svg>failed, not timed</li>)"
      : "";
  const auto line = [](std::string_view css, std::string_view words) {
    return fmt::format(
      R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><line class="{}" x1="0" x2="18" y1="6" y2="6"/></svg>{}</li>)",
      css, words);
  };
  items += summary.best_baseline != nullptr ? line("library", "best library") : "";
  items += input.floor_s > 0 ? line("ceiling", "measured ceiling") : "";
  return fmt::format(R"(<ul class="legend">{}</ul>)", items);
}

} // namespace

std::string page_climb(const ReportInput& input, const ClimbSummary& summary)
{
  const std::string wide = climb_chart(input, summary, {1040, 430});
  if (wide.empty()) {
    return "";
  }
  const std::string narrow = climb_chart(input, summary, {350, 380});
  std::string html = fmt::format(
    R"(<section id="climb"><h2>The climb</h2><p class="lead">Each step that was tried, in order; higher is faster. The line follows the steps that were taken. Whiskers are 95 % intervals.</p><div class="card chart-card"><div class="chart-wide">{}</div><div class="chart-narrow">{}</div>{}</div></section>)",
    wide, narrow, legend(input, summary));
  return html
         + fmt::format(
           R"(<section id="graph"><h2>Checkpoints</h2><p class="lead">What each checkpoint was made from. Ratios are against its parent.</p><div class="card graph-card">{}</div></section>)",
           checkpoint_graph(input, summary));
}

} // namespace hone::report
