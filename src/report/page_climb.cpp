#include "report/checkpoint_graph.h"
#include "report/climb_chart.h"
#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

namespace {

std::string legend(const ReportInput& input, const Story& story)
{
  const auto dot = [](std::string_view css, std::string_view words) {
    return fmt::format(R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><circle class="{}" cx="9" cy="6" r="4.5"/></svg>{}</li>)",
                       css, words);
  };
  const auto has = [&](Fate fate) {
    return std::any_of(story.moments.begin(), story.moments.end(), [&](const Moment& m) { return m.fate == fate; });
  };
  std::string items = dot("p-path", "taken: the path to the best");
  items += has(Fate::branch) ? dot("p-branch", "side branch") : "";
  items += has(Fate::remeasured) ? dot("p-again", "measured again") : "";
  items += has(Fate::passed_over) ? dot("p-over", "right, but not taken") : "";
  items += has(Fate::failed)
               ? R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><path class="p-failed" d="M5.5 2.5l7 7m0 -7l-7 7"/></svg>failed, not timed</li>)"
               : "";
  const auto line = [](std::string_view css, std::string_view words) {
    return fmt::format(R"(<li><svg viewBox="0 0 18 12" aria-hidden="true"><line class="{}" x1="0" x2="18" y1="6" y2="6"/></svg>{}</li>)",
                       css, words);
  };
  items += story.best_baseline != nullptr ? line("library", "best library") : "";
  items += input.floor_s > 0 ? line("ceiling", "measured ceiling") : "";
  return fmt::format(R"(<ul class="legend">{}</ul>)", items);
}

} // namespace

std::string page_climb(const ReportInput& input, const Story& story)
{
  const std::string wide = climb_chart(input, story, {1040, 430});
  if (wide.empty()) {
    return "";
  }
  const std::string narrow = climb_chart(input, story, {350, 380});
  std::string html = fmt::format(
      R"(<section id="climb"><h2>The climb</h2><p class="lead">Each step that was tried, in order; higher is faster. The line follows the steps that were taken. Whiskers are 95 % intervals.</p><div class="card chart-card"><div class="chart-wide">{}</div><div class="chart-narrow">{}</div>{}</div></section>)",
      wide, narrow, legend(input, story));
  return html + fmt::format(
                    R"(<section id="graph"><h2>Checkpoints</h2><p class="lead">What each checkpoint was made from. Ratios are against its parent.</p><div class="card graph-card">{}</div></section>)",
                    checkpoint_graph(input, story));
}

} // namespace hone
