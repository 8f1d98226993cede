#include "policy/tuned_space.h"

#include <algorithm>

namespace hone::policy {

namespace {

double spent_on(const record::Verdict& verdict, std::initializer_list<const char*> phases)
{
  double seconds = 0;
  for (const char* phase : phases) {
    const auto found = verdict.spent.find(phase);
    seconds += found == verdict.spent.end() ? 0 : found->second;
  }
  return seconds;
}

tune::StoredTrial trial_of(const record::Record& record, std::vector<double>& incumbent_times)
{
  tune::StoredTrial trial;
  trial.point = record.point;
  trial.status = record.verdict.status;
  trial.build_s = spent_on(record.verdict, {"build"});
  trial.validate_s = spent_on(record.verdict, {"validate", "reference"});
  trial.measure_s = spent_on(record.verdict, {"measure", "check"});
  trial.time_utc = record.time_utc;
  if (trial.status == record::Status::correct && !record.verdict.comparisons.empty()) {
    const record::ComparisonResult& comparison = record.verdict.comparisons.front();
    trial.ratios = comparison.pair_ratios.empty() ? std::vector{comparison.ratio} : comparison.pair_ratios;
    trial.call_s = comparison.candidate.median;
    if (comparison.incumbent.median > 0) {
      incumbent_times.push_back(comparison.incumbent.median);
    }
  }
  return trial;
}

bool is_comparable(const record::Record& record, const PolicyContext& context)
{
  record::Recipe recipe = record.recipe_used;
  recipe.pairs = context.recipe.pairs; // trials make do with fewer
  return recipe.hash() == context.recipe.hash()
         && (context.environment.empty() || record.environment == context.environment);
}

} // namespace

Result<tune::StoredSpace> tuned_space(const PolicyContext& context, const std::string& checkpoint)
{
  HONE_TRY(const store::Checkpoint from, context.workflow.find(checkpoint));
  HONE_TRY(const backend::DeviceInfo device, context.backend.probe());
  HONE_TRY(const std::vector<store::Step> steps, context.workflow.steps());
  const kernel::TuningSpace& tuning = from.candidate.plan.tuning;
  tune::StoredSpace space;
  space.kernel = context.kernel->name;
  space.kernel_hash = context.kernel->hash;
  space.candidate = from.candidate.hash();
  space.environment = context.environment;
  space.device = device.name;
  space.device_facts = device.facts;
  space.plan_facts = context.device_facts;
  space.recipe = context.recipe;
  space.parameters = tuning.parameters;
  std::ranges::transform(tuning.constraints, std::back_inserter(space.constraints), &kernel::PlanExpression::text);
  space.incumbent = from.point;
  std::vector<double> incumbent_times;
  for (const store::Step& step : steps) {
    const record::Record& record = step.record;
    if (record.transformation == k_trial_step && record.parent == from.id && is_comparable(record, context)) {
      tune::add_trial(space, trial_of(record, incumbent_times));
    }
  }
  space.incumbent_s = incumbent_times.empty() ? 0 : median(incumbent_times);
  return space;
}

} // namespace hone::policy
