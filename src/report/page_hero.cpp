#include "report/format.h"
#include "report/page_parts.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace hone::report {

namespace {

struct Bar {
  std::string label;
  double value = 0;
  const char* css = "";
};

std::string chip(std::string_view name, std::string_view value)
{
  return value.empty() ? "" : fmt::format("<li><span>{}</span>{}</li>", escape_html(name), escape_html(value));
}

// Speeds side by side: GFLOP/s where the work is known, else calls per second.
std::vector<Bar> bars_for(const ReportInput& input, const ClimbSummary& summary)
{
  const double work = input.flops > 0 ? input.flops * 1e-9 : 1;
  std::vector<Bar> bars;
  if (input.floor_s > 0) {
    bars.push_back({"measured ceiling", work / input.floor_s, "bar-ceiling"});
  }
  if (summary.best_baseline != nullptr) {
    bars.push_back(
      {summary.best_baseline->name, work / (summary.best_time->median * summary.best_baseline->ratio), "bar-library"});
  }
  bars.push_back({input.kernel_name + ", best", work / summary.best_time->median, "bar-ours"});
  if (summary.start_time != nullptr && summary.start != summary.best) {
    bars.push_back({"start", work / summary.start_time->median, "bar-start"});
  }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.value > b.value; });
  return bars;
}

std::string draw(const std::vector<Bar>& bars, std::string_view unit)
{
  std::string html = R"(<div class="bars">)";
  for (const Bar& bar : bars) {
    const double share = std::max(0.4, 100 * bar.value / bars.front().value);
    html += fmt::format(
      R"(<div><div class="bar-head"><span>{}</span><b>{} {}</b></div><svg class="bar {}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="{:.2f}" height="10"/></svg></div>)",
      escape_html(bar.label), number_text(bar.value), unit, bar.css, share);
  }
  return html + "</div>";
}

std::string stat(std::string_view name, std::string_view value, std::string_view note)
{
  return fmt::format(R"(<div class="stat"><dt>{}</dt><dd>{}</dd><p>{}</p></div>)", escape_html(name),
                     escape_html(value), escape_html(note));
}

std::string stats(const ReportInput& input, const ClimbSummary& summary)
{
  const record::TimeEstimate& best = *summary.best_time;
  std::string html = stat("Time per call", format_seconds(best.median), "95 % in " + time_interval_text(best.ci95));
  if (const auto preparation = summary.best->record.verdict.preparation()) {
    html += stat("Weights laid out ahead", format_seconds(preparation->median), "not in the time per call");
  }
  if (const auto rate = gflops(input, best.median)) {
    html += stat("Rate", number_text(*rate) + " GFLOP/s",
                 summary.start_time != nullptr
                   ? "start: " + number_text(*gflops(input, summary.start_time->median)) + " GFLOP/s"
                   : "");
  }
  if (const auto share = ceiling_fraction(input, best.median)) {
    html += stat("Of the ceiling", percent_text(*share), "ceiling: " + format_seconds(input.floor_s) + " per call");
  }
  if (const auto* measured = summary.headline.measured; measured != nullptr && !measured->by_size.empty()) {
    const record::SizedComparison& worst = *record::worst_size(*measured);
    html += stat("Least of all sizes", ratio_text(worst.result.ratio), "at " + kernel::to_text(worst.sizes));
  }
  if (summary.best_baseline != nullptr) {
    const BaselineFigure& baseline = *summary.best_baseline;
    html += stat("Of the best library", percent_text(baseline.ratio),
                 baseline.name + ", ratio " + ratio_interval_text(baseline.ci95, baseline.ratio));
  }
  return fmt::format(R"(<dl class="stats">{}</dl>)", html);
}

} // namespace

std::string pill(std::string_view word)
{
  return fmt::format(R"(<span class="pill pill-{0}">{0}</span>)", escape_html(word));
}

std::string page_masthead(const ReportInput& input, const ClimbSummary& summary)
{
  std::string chips =
    chip("device", input.device) + chip("backend", input.backend) + chip("sizes", record::sizes_text(input.recipe))
    + chip("threads", std::to_string(input.recipe.threads)) + chip("caches", record::name_of(input.recipe.regime));
  if (summary.best != nullptr) {
    chips += chip("isolation tier", record::name_of(summary.best->record.verdict.tier));
  }
  return fmt::format(
    R"(<header class="masthead"><div><div class="brand"><svg viewBox="0 0 20 20" aria-hidden="true"><path class="brand-mark" d="M2 17L12 3h6L8 17z"/></svg>Hone report</div><h1>{}</h1><p class="summary">{}</p><code class="expression">{}</code><ul class="chips">{}</ul></div></header>)",
    escape_html(input.kernel_name), escape_html(input.kernel_summary), escape_html(input.expression), chips);
}

std::string page_hero(const ReportInput& input, const ClimbSummary& summary)
{
  if (summary.best == nullptr || summary.best_time == nullptr) {
    return R"(<div class="card hero"><div><p class="hero-words">No checkpoint has been timed yet.</p></div></div>)";
  }
  const Headline& headline = summary.headline;
  const bool moved = summary.best != summary.start;
  const std::string note =
    moved ? fmt::format("95 % interval {}, {}", ratio_interval_text(headline.ci95, headline.ratio), headline.source)
          : headline.source;
  return fmt::format(
    R"(<div class="card hero"><div><div class="hero-number">{}</div><p class="hero-words">{}</p><p class="hero-note">{}</p></div>{}</div>{})",
    ratio_text(headline.ratio), moved ? "faster than the start" : "the start is the best so far", escape_html(note),
    draw(bars_for(input, summary), input.flops > 0 ? "GFLOP/s" : "calls/s"), stats(input, summary));
}

} // namespace hone::report
