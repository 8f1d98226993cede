#include "record/machine_load.h"
#include "report/format.h"
#include "report/page_parts.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::report {

namespace {

std::string fact(std::string_view name, std::string_view value)
{
  return value.empty() ? "" : fmt::format("<tr><th>{}</th><td>{}</td></tr>", escape_html(name), escape_html(value));
}

std::string recipe_facts(const ReportInput& input)
{
  const record::Recipe& recipe = input.recipe;
  std::string further;
  for (const record::WeighedSizes& one : recipe.further) {
    further +=
      fmt::format("{}{} (weight {})", further.empty() ? "" : "; ", kernel::to_text(one.sizes), number_text(one.weight));
  }
  return fact("sizes", kernel::to_text(recipe.sizes)) + fact("further sizes", further)
         + fact("accuracy", input.accuracy) + fact("threads", std::to_string(recipe.threads))
         + fact("caches that decide", record::name_of(recipe.regime))
         + fact("runner pairs per comparison", std::to_string(recipe.pairs))
         + fact("seconds per pair, at least", number_text(recipe.seconds_per_pair))
         + fact("protocol version", std::to_string(recipe.protocol))
         + fact("work per call", input.flops > 0 ? number_text(input.flops * 1e-9) + " GFLOP" : "")
         + fact("measured ceiling", input.floor_s > 0 ? format_seconds(input.floor_s) + " per call" : "");
}

std::string spent_bar(const ReportInput& input)
{
  double total = 0;
  std::vector<std::pair<std::string, double>> phases(input.spent.begin(), input.spent.end());
  for (const auto& [phase, seconds] : phases) {
    total += seconds;
  }
  if (total <= 0) {
    return "";
  }
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string bar;
  std::string rows;
  double x = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double width = 100 * phases[i].second / total;
    const std::size_t colour = std::min<std::size_t>(i, 5);
    bar += fmt::format(R"(<rect class="s{}" x="{:.3f}" width="{:.3f}" height="10"/>)", colour, x, width);
    rows +=
      fmt::format(R"(<tr><td><span class="dot s{}"></span>{}</td><td class="num">{}</td><td class="num">{}</td></tr>)",
                  colour, escape_html(phases[i].first), format_seconds(phases[i].second), percent_text(width / 100));
    x += width;
  }
  return fmt::format(
    R"(<section id="spent"><h2>Where the time went</h2><div class="card"><svg class="spent" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{}</svg><div class="scroll"><table><tr><th>phase</th><th class="num">time</th><th class="num">share</th></tr>{}<tr><td>all</td><td class="num">{}</td><td></td></tr></table></div></div></section>)",
    bar, rows, format_seconds(total));
}

// How much of the CPU time of timed runs others took, over all steps; nothing in records of older versions.
std::string load_fact(const ReportInput& input)
{
  record::MachineLoad load;
  for (const store::Step& step : input.steps) {
    load.add(record::load_of(step.record.verdict, step.record.recipe_used.threads));
  }
  return load.timed_s > 0 ? fact("CPU time that others took from timed runs",
                                 percent_text(load.share()) + (load.busy() ? ", a busy machine" : ""))
                          : "";
}

} // namespace

std::string page_conditions(const ReportInput& input)
{
  std::string environment = fact("device", input.device) + fact("backend", input.backend);
  for (const auto& [name, value] : input.environment) {
    environment += fact(name, value);
  }
  environment += load_fact(input);
  return spent_bar(input)
         + fmt::format(
           R"(<section id="conditions"><h2>Under which conditions</h2><p class="lead">Numbers are compared only within one recipe on one environment.</p><div class="two"><div class="card"><h3>Environment</h3><table class="facts">{}</table></div><div class="card"><h3>Recipe</h3><table class="facts">{}</table></div></div></section>)",
           environment, recipe_facts(input));
}

} // namespace hone::report
