// What the tuning sessions found: every measured point, parameter by parameter, and how much each of them explains.
#include "report/format.h"
#include "report/page_parts.h"
#include "report/parameter_importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hone::report {

namespace {

constexpr double k_dots_width = 320, k_dots_height = 170;
constexpr double k_dots_left = 44, k_dots_right = 12, k_dots_top = 12, k_dots_bottom = 30;

// Trials stand beside the checkpoint they vary; sessions on other checkpoints are other spaces.
using Sessions = std::map<std::string, std::vector<TuningTrial>>;

Sessions sessions_of(const ReportInput& input)
{
  Sessions sessions;
  for (const store::Step& step : input.steps) {
    const record::Record& record = step.record;
    const record::Verdict& verdict = record.verdict;
    const bool measured = is_tuning_trial(record) && verdict.status == record::Status::correct
                          && !verdict.comparisons.empty() && verdict.comparisons.front().ratio > 0
                          && std::isfinite(verdict.comparisons.front().ratio);
    if (measured) {
      sessions[record.parent].push_back({record.point, verdict.comparisons.front().ratio});
    }
  }
  return sessions;
}

std::string strip_plot(const std::string& name, double share, const std::vector<TuningTrial>& trials)
{
  std::set<std::int64_t> values;
  double low = HUGE_VAL, high = 0;
  for (const TuningTrial& trial : trials) {
    if (const auto value = trial.point.find(name); value != trial.point.end()) {
      values.insert(value->second);
    }
    low = std::min(low, trial.ratio);
    high = std::max(high, trial.ratio);
  }
  const double span = std::max(high - low, 1e-6);
  const auto y = [&](double ratio) {
    return k_dots_height - k_dots_bottom - (k_dots_height - k_dots_bottom - k_dots_top) * (ratio - low) / span;
  };
  const std::vector<std::int64_t> ordered(values.begin(), values.end());
  const auto x = [&](std::int64_t value) {
    const auto position = static_cast<double>(std::ranges::find(ordered, value) - ordered.begin());
    return k_dots_left
           + (k_dots_width - k_dots_left - k_dots_right) * (position + 0.5) / static_cast<double>(ordered.size());
  };
  std::string svg;
  for (const double ratio : {low, high}) {
    svg += fmt::format(
      R"(<line class="grid" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/><text class="tick" x="{3:.1f}" y="{4:.1f}" text-anchor="end">{5}</text>)",
      k_dots_left, k_dots_width - k_dots_right, y(ratio), k_dots_left - 5, y(ratio) + 4, number_text(ratio));
  }
  for (const std::int64_t value : ordered) {
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x(value),
                       k_dots_height - 10, value);
  }
  for (const TuningTrial& trial : trials) {
    if (const auto value = trial.point.find(name); value != trial.point.end()) {
      svg += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"/>)",
                         trial.ratio == high ? "p-path" : "p-over", x(value->second), y(trial.ratio));
    }
  }
  return fmt::format(
    R"(<div><h3>{}: explains {}</h3><svg class="chart" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="speed by {}">{}</svg></div>)",
    escape_html(name), percent_text(share), k_dots_width, k_dots_height, escape_html(name), svg);
}

} // namespace

std::string page_tuning(const ReportInput& input)
{
  std::string cards;
  for (const auto& [parent, trials] : sessions_of(input)) {
    const std::vector<ParameterImportance> parameters = importance_of_parameters(trials);
    if (parameters.empty()) {
      continue;
    }
    std::string plots;
    for (const ParameterImportance& parameter : parameters) {
      plots += strip_plot(parameter.name, parameter.share, trials);
    }
    cards += fmt::format(R"(<div class="card"><h3>{} points beside checkpoint {}</h3><div class="two">{}</div></div>)",
                         trials.size(), escape_html(short_id(parent)), plots);
  }
  return cards.empty()
           ? ""
           : fmt::format(
             R"(<section id="tuning"><h2>The tuning space</h2><p class="lead">Speed of each measured point over the checkpoint it varies. A parameter explains the share of the variance of these speeds (of their logarithms) that lies between its values. The search chose the points, and parameters act together: shares need not add up to 100 %.</p>{}</section>)",
             cards);
}

} // namespace hone::report
