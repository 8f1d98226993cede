#include "report/format.h"
#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hone::report {

std::string page_baselines(const ReportInput& input, const ClimbSummary&)
{
  if (input.baselines.empty()) {
    return "";
  }
  std::vector<const BaselineFigure*> ordered;
  for (const BaselineFigure& baseline : input.baselines) {
    ordered.push_back(&baseline);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const BaselineFigure* a, const BaselineFigure* b) { return a->ratio < b->ratio; });
  std::string rows;
  for (const BaselineFigure* baseline : ordered) {
    rows += fmt::format(
      R"(<tr><td><b>{}</b></td><td><code>{}</code></td><td class="num">{}</td><td class="num">{}</td></tr>)",
      escape_html(baseline->name), escape_html(baseline->setting), ratio_text(baseline->ratio),
      ratio_interval_text(baseline->ci95, baseline->ratio));
  }
  return fmt::format(
    R"(<section id="baselines"><h2>Against libraries and plain loops</h2><p class="lead">Same machine, same run, same recipe. The ratio is the baseline&#39;s time over ours: above 1, ours is faster.</p><div class="card"><div class="scroll"><table><tr><th>baseline</th><th>setting</th><th class="num">ratio</th><th class="num">95 % interval</th></tr>{}</table></div></div></section>)",
    rows);
}

std::string page_words()
{
  static constexpr std::array<std::array<std::string_view, 2>, 8> k_words = {{
    {"FAST, SLOW", "Every pair of runner processes agrees that the candidate is faster (slower) by more than 0.5 %."},
    {"SAME", "The whole interval of the ratio lies within 1 % of even."},
    {"AMBG", "Neither could be shown; the step's evidence says why."},
    {"cold", "Data comes from memory: each call gets buffers that no cache holds any more."},
    {"hot", "Inputs are the same from call to call, so caches may hold them."},
    {"ratio", "Time of what it was compared with over time of the candidate. Above 1, the candidate is faster. The "
              "interval covers 95 %, over independent pairs of processes."},
    {"tier B", "Native code, compiled by Hone and run in a locked process; A is device code on a GPU, C foreign host "
               "code timed from outside."},
    {"ceiling", "The shortest time that the arithmetic rate and the bandwidth measured on this machine allow."},
  }};
  std::string words;
  for (const auto& [word, meaning] : k_words) {
    words += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", word, escape_html(meaning));
  }
  return fmt::format(
    R"(<section id="words"><h2>What the words mean</h2><div class="card"><dl class="words">{}</dl></div></section>)",
    words);
}

std::string page_reproduce(const ReportInput& input, const ClimbSummary& summary)
{
  if (summary.best == nullptr) {
    return "";
  }
  return fmt::format(
    R"(<section id="reproduce"><h2>Reproduce it</h2><p class="lead">This puts the best checkpoint, <code>{}</code>, through the whole gate again: fresh build, fresh process, new random inputs, same recipe.</p><pre class="command"><i>$ </i>hone verify {}</pre></section>)",
    escape_html(short_id(summary.best->id)), escape_html(input.kernel_name));
}

} // namespace hone::report
