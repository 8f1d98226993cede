#include "policy/baselines.h"

#include "policy/attempt.h"
#include "policy/spent.h"

#include <fmt/format.h>

namespace hone::policy {

namespace {

constexpr int k_scouting_pairs = 1; // a look at each setting; the fastest of each library is then compared in full

std::string label(const gate::Baseline& baseline)
{
  return baseline.setting.empty() ? baseline.name : fmt::format("{} ({})", baseline.name, baseline.setting);
}

void notify(const PolicyContext& context, const gate::Baseline& baseline, std::string status, bool finished,
            std::optional<record::Record> record = {})
{
  if (context.observe) {
    context.observe({.step = "baseline " + label(baseline),
                     .status = std::move(status),
                     .finished = finished,
                     .record = std::move(record),
                     .note = {}});
  }
}

Result<record::Record> run_and_keep(PolicyContext& context, const record::Job& job)
{
  HONE_TRY(record::Record record, context.executor.run(job));
  HONE_CHECK(context.workflow.append(record));
  HONE_CHECK(book_time(context.workflow, record.verdict));
  return record;
}

void keep_fastest_of_each_library(std::vector<ScoutedBaseline>& found, ScoutedBaseline candidate)
{
  for (ScoutedBaseline& kept : found) {
    if (kept.baseline.name == candidate.baseline.name) {
      if (candidate.time.median < kept.time.median) {
        kept = std::move(candidate);
      }
      return;
    }
  }
  found.push_back(std::move(candidate));
}

} // namespace

Result<std::vector<ScoutedBaseline>> scout_baselines(PolicyContext& context)
{
  std::vector<ScoutedBaseline> found;
  for (const gate::Baseline& baseline : gate::baselines_for(*context.kernel, context.backend)) {
    if (context.stop.stop_requested()) {
      break;
    }
    notify(context, baseline, "measuring", false);
    record::Job job;
    job.kind = record::Job::Kind::measure;
    job.contender.library = baseline.name;
    job.contender.library_setting = baseline.setting;
    job.recipe = context.recipe;
    job.recipe.pairs = k_scouting_pairs;
    job.depth = record::Depth::glance; // libraries are trusted; the check only finds wrong settings
    HONE_TRY(record::Record record, run_and_keep(context, job));
    const auto& time = context.recipe.regime == record::Regime::cold ? record.verdict.cold : record.verdict.hot;
    notify(context, baseline, std::string(record::name_of(record.verdict.status)), true, record);
    if (record.verdict.status == record::Status::correct && time) {
      keep_fastest_of_each_library(found, {baseline, job.contender, *time});
    }
  }
  return found;
}

Result<std::vector<BaselineResult>> compare_with_baselines(PolicyContext& context, const record::Contender& ours,
                                                           const std::vector<ScoutedBaseline>& scouted)
{
  std::vector<std::pair<gate::Baseline, record::Contender>> rivals;
  for (const ScoutedBaseline& baseline : scouted) {
    rivals.emplace_back(baseline.baseline, baseline.contender);
  }
  if (auto loops = reordered_loops(context);
      loops && kernel::classify(*context.kernel) == kernel::KernelClass::contraction) {
    kernel::TuningPoint point = loops->plan.tuning.defaults();
    rivals.emplace_back(gate::Baseline{k_plain_loops, "our compiler and flags"},
                        record::Contender{std::move(*loops), std::move(point), {}, {}});
  }
  std::vector<BaselineResult> results;
  for (const auto& [baseline, contender] : rivals) {
    if (context.stop.stop_requested()) {
      break;
    }
    notify(context, baseline, "comparing", false);
    record::Job job;
    job.kind = record::Job::Kind::judge;
    job.contender = ours;
    job.incumbent = contender;
    job.recipe = context.recipe;
    job.depth = record::Depth::promote; // a figure that is published
    job.transformation = fmt::format("{} {}", k_baseline_step, label(baseline));
    HONE_TRY(record::Record record, run_and_keep(context, job));
    notify(context, baseline, std::string(record::name_of(record.verdict.status)), true, record);
    if (record.verdict.status == record::Status::correct && !record.verdict.comparisons.empty()) {
      results.push_back({baseline, record.verdict.comparisons.front()});
    }
  }
  return results;
}

} // namespace hone::policy
