#include "policy/baselines.h"

#include "policy/attempt.h"
#include "policy/spent.h"

#include <fmt/format.h>

namespace hone {

namespace {

constexpr int k_scouting_pairs = 1; // a look at each setting; the fastest of each library is then compared in full

std::string label(const Baseline& baseline)
{
  return baseline.setting.empty() ? baseline.name : fmt::format("{} ({})", baseline.name, baseline.setting);
}

void notify(const PolicyContext& context, const Baseline& baseline, std::string status, bool finished,
            std::optional<Record> record = {})
{
  if (context.observe) {
    context.observe({.step = "baseline " + label(baseline),
                     .status = std::move(status),
                     .finished = finished,
                     .record = std::move(record),
                     .note = {}});
  }
}

Result<Record> run_and_keep(PolicyContext& context, const Job& job)
{
  HONE_TRY(Record record, context.executor.run(job));
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
  for (const Baseline& baseline : baselines_for(*context.kernel, context.backend)) {
    if (context.stop.stop_requested()) {
      break;
    }
    notify(context, baseline, "measuring", false);
    Job job;
    job.kind = Job::Kind::measure;
    job.contender.library = baseline.name;
    job.contender.library_setting = baseline.setting;
    job.recipe = context.recipe;
    job.recipe.pairs = k_scouting_pairs;
    job.depth = Depth::glance; // libraries are trusted; the check only finds wrong settings
    HONE_TRY(Record record, run_and_keep(context, job));
    const auto& time = context.recipe.regime == Regime::cold ? record.verdict.cold : record.verdict.hot;
    notify(context, baseline, std::string(name_of(record.verdict.status)), true, record);
    if (record.verdict.status == Status::correct && time) {
      keep_fastest_of_each_library(found, {baseline, job.contender, *time});
    }
  }
  return found;
}

Result<std::vector<BaselineResult>> compare_with_baselines(PolicyContext& context, const Contender& ours,
                                                           const std::vector<ScoutedBaseline>& scouted)
{
  std::vector<std::pair<Baseline, Contender>> rivals;
  for (const ScoutedBaseline& baseline : scouted) {
    rivals.emplace_back(baseline.baseline, baseline.contender);
  }
  if (auto loops = reordered_loops(context); loops && classify(*context.kernel) == KernelClass::contraction) {
    TuningPoint point = loops->plan.tuning.defaults();
    rivals.emplace_back(Baseline{"loops-ikj", "our compiler and flags"},
                        Contender{std::move(*loops), std::move(point), {}, {}});
  }
  std::vector<BaselineResult> results;
  for (const auto& [baseline, contender] : rivals) {
    if (context.stop.stop_requested()) {
      break;
    }
    notify(context, baseline, "comparing", false);
    Job job;
    job.kind = Job::Kind::judge;
    job.contender = ours;
    job.incumbent = contender;
    job.recipe = context.recipe;
    job.depth = Depth::promote; // a figure that is published
    job.transformation = fmt::format("{} {}", k_baseline_step, label(baseline));
    HONE_TRY(Record record, run_and_keep(context, job));
    notify(context, baseline, std::string(name_of(record.verdict.status)), true, record);
    if (record.verdict.status == Status::correct && !record.verdict.comparisons.empty()) {
      results.push_back({baseline, record.verdict.comparisons.front()});
    }
  }
  return results;
}

} // namespace hone
