#include "report/climb_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace hone::report {

namespace {

using CheckpointsById = std::map<std::string, const store::Checkpoint*>;

bool same_result(const record::Record& a, const record::Record& b)
{
  return a.candidate == b.candidate && a.point == b.point;
}

std::vector<const store::Checkpoint*> path_to(const CheckpointsById& by_id, const std::string& best)
{
  std::vector<const store::Checkpoint*> path;
  std::set<std::string> seen; // records come from outside: a circle of parents must not hang the report
  for (auto at = by_id.find(best); at != by_id.end() && seen.insert(at->first).second;
       at = by_id.find(at->second->parent)) {
    path.push_back(at->second);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

StepOutcome outcome_of(const store::Step& step, const std::set<std::string>& on_path,
                       const std::vector<store::Checkpoint>& checkpoints)
{
  if (step.record.verdict.status != record::Status::correct) {
    return StepOutcome::failed;
  }
  if (!step.checkpoint.empty()) {
    return on_path.contains(step.checkpoint) ? StepOutcome::path : StepOutcome::branch;
  }
  const bool known = std::any_of(checkpoints.begin(), checkpoints.end(), [&](const store::Checkpoint& checkpoint) {
    return same_result(checkpoint.record, step.record);
  });
  return known ? StepOutcome::remeasured : StepOutcome::passed_over;
}

// The number that is published: of all measurements of this result under the recipe the newest one.
const record::TimeEstimate* newest_time(const ReportInput& input, const store::Checkpoint& checkpoint)
{
  const record::TimeEstimate* newest = deciding_time(checkpoint.record, input.recipe.regime);
  for (const store::Step& step : input.steps) {
    const record::TimeEstimate* time = deciding_time(step.record, input.recipe.regime);
    const bool same_recipe =
      step.record.recipe_used.sizes == input.recipe.sizes && step.record.recipe_used.threads == input.recipe.threads;
    if (time != nullptr && same_recipe && step.record.baseline.empty() && same_result(step.record, checkpoint.record)) {
      newest = time;
    }
  }
  return newest;
}

const record::ComparisonResult* measured_against_start(const ReportInput& input, const ClimbSummary& summary)
{
  const record::ComparisonResult* newest = nullptr;
  for (const store::Step& step : input.steps) {
    const record::ComparisonResult* comparison = deciding_comparison(step.record, input.recipe.regime);
    if (comparison != nullptr && same_result(step.record, summary.best->record)
        && step.record.incumbent == summary.start->record.candidate) {
      newest = comparison;
    }
  }
  return newest;
}

// Each step was compared with the one before: ratios multiply, and independent errors add in quadrature on the
// logarithmic scale.
Headline product_of_steps(const ReportInput& input, const ClimbSummary& summary)
{
  Headline headline;
  double variance = 0;
  std::size_t factors = 0;
  for (const store::Checkpoint* checkpoint : summary.path) {
    const record::ComparisonResult* comparison = deciding_comparison(checkpoint->record, input.recipe.regime);
    if (checkpoint == summary.start || comparison == nullptr) {
      continue;
    }
    headline.ratio *= comparison->ratio;
    ++factors;
    if (comparison->ci95.low > 0) {
      const double half_width = std::log(comparison->ci95.high / comparison->ci95.low) / 2;
      variance += half_width * half_width;
    } else { // of one pair: it has no interval, and neither has the product
      variance = std::numeric_limits<double>::infinity();
    }
  }
  const double spread = std::exp(std::sqrt(variance));
  headline.ci95 = {headline.ratio / spread, headline.ratio * spread};
  headline.source = fmt::format("product of {} comparison{}", factors, factors == 1 ? "" : "s");
  return headline;
}

Headline headline_of(const ReportInput& input, const ClimbSummary& summary)
{
  if (summary.start == nullptr || summary.best == summary.start) {
    return {1, {1, 1}, "nothing faster than the start was found", nullptr};
  }
  if (const record::ComparisonResult* comparison = measured_against_start(input, summary)) {
    return {comparison->ratio, comparison->ci95, "measured against the start", comparison};
  }
  return product_of_steps(input, summary);
}

} // namespace

std::string_view name_of(StepOutcome outcome)
{
  switch (outcome) {
  case StepOutcome::path:
    return "on the path";
  case StepOutcome::branch:
    return "side branch";
  case StepOutcome::remeasured:
    return "measured again";
  case StepOutcome::passed_over:
    return "not taken";
  case StepOutcome::failed:
    return "failed";
  }
  return "";
}

ClimbSummary summarize(const ReportInput& input)
{
  ClimbSummary summary;
  CheckpointsById by_id;
  for (const store::Checkpoint& checkpoint : input.checkpoints) {
    by_id[checkpoint.id] = &checkpoint;
  }
  summary.path = path_to(by_id, input.best);
  std::set<std::string> on_path;
  for (const store::Checkpoint* checkpoint : summary.path) {
    on_path.insert(checkpoint->id);
  }
  for (const store::Step& step : input.steps) {
    if (step.record.baseline.empty()) {
      summary.steps.push_back({&step, outcome_of(step, on_path, input.checkpoints),
                               deciding_time(step.record, input.recipe.regime),
                               deciding_comparison(step.record, input.recipe.regime)});
    }
  }
  if (!summary.path.empty()) {
    summary.start = summary.path.front();
    summary.best = summary.path.back();
    summary.start_time = deciding_time(summary.start->record, input.recipe.regime);
    summary.best_time = newest_time(input, *summary.best);
  }
  summary.headline = headline_of(input, summary);
  for (const BaselineFigure& baseline : input.baselines) {
    if (baseline.ratio > 0 && (summary.best_baseline == nullptr || baseline.ratio < summary.best_baseline->ratio)) {
      summary.best_baseline = &baseline;
    }
  }
  return summary;
}

const record::TimeEstimate* deciding_time(const record::Record& record, record::Regime regime)
{
  const auto& time = regime == record::Regime::cold ? record.verdict.cold : record.verdict.hot;
  return time && time->median > 0 ? &*time : nullptr;
}

const record::ComparisonResult* deciding_comparison(const record::Record& record, record::Regime regime)
{
  for (const record::ComparisonResult& comparison : record.verdict.comparisons) {
    if (comparison.regime == regime) {
      return &comparison;
    }
  }
  return nullptr;
}

std::string step_name(const record::Record& record)
{
  return record.transformation.empty() ? "start" : record.transformation;
}

std::optional<double> ceiling_fraction(const ReportInput& input, double seconds)
{
  return input.floor_s > 0 && seconds > 0 ? std::optional(input.floor_s / seconds) : std::nullopt;
}

std::optional<double> gflops(const ReportInput& input, double seconds)
{
  return input.flops > 0 && seconds > 0 ? std::optional(input.flops / seconds * 1e-9) : std::nullopt;
}

} // namespace hone::report
