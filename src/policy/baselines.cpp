#include "policy/baselines.h"

#include "policy/attempt.h"
#include "policy/spent.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::policy {

namespace {

constexpr int k_scouting_pairs = 1; // a look at each setting; the fastest of each library is then compared in full
constexpr double k_first_look_s = 0.7;
constexpr double k_loads_of_a_library = 3; // of a measurement: to check it, and twice to time it
constexpr const char* k_too_little_time = "left out: the budget has no time for it";

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

void notify_left_out(const PolicyContext& context, const std::string& name)
{
  if (context.observe) {
    context.observe(
      {.step = "baseline " + name, .status = "skipped", .finished = true, .record = {}, .note = k_too_little_time});
  }
}

std::chrono::steady_clock::time_point now_by(const PolicyContext& context)
{
  return context.clock ? context.clock() : std::chrono::steady_clock::now();
}

double seconds_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end)
{
  return std::chrono::duration<double>(end - begin).count();
}

// Plain loops are a rival where libraries are.
std::optional<kernel::Candidate> loops_as_rival(const PolicyContext& context)
{
  return kernel::classify(*context.kernel) == kernel::KernelClass::contraction ? reordered_loops(context)
                                                                               : std::nullopt;
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

Result<std::vector<ScoutedBaseline>> scout_baselines(PolicyContext& context, double most_seconds)
{
  std::vector<ScoutedBaseline> found;
  const std::vector<gate::Baseline> all = gate::baselines_for(*context.kernel, context.recipe.sizes, context.backend);
  const auto begin = now_by(context);
  std::string left_out;
  for (std::size_t i = 0; i < all.size() && !context.stop.stop_requested(); ++i) {
    const gate::Baseline& baseline = all[i];
    if (baseline.name == left_out) {
      continue;
    }
    if (i == 0 || all[i - 1].name != baseline.name) {
      const auto settings = static_cast<double>(std::ranges::count(all, baseline.name, &gate::Baseline::name));
      const double passed = seconds_between(begin, now_by(context));
      const double look =
        std::max(i == 0 ? k_first_look_s : passed / static_cast<double>(i), k_loads_of_a_library * baseline.load_s);
      if (passed + settings * look > most_seconds) {
        left_out = baseline.name;
        notify_left_out(context, baseline.name);
        continue;
      }
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

int count_rivals(const PolicyContext& context, const std::vector<ScoutedBaseline>& scouted)
{
  return static_cast<int>(scouted.size()) + (loops_as_rival(context) ? 1 : 0);
}

Result<std::vector<BaselineResult>> compare_with_baselines(PolicyContext& context, const record::Contender& ours,
                                                           std::vector<ScoutedBaseline> scouted, TimeLeft left)
{
  std::ranges::sort(scouted, {}, [](const ScoutedBaseline& baseline) { return baseline.time.median; });
  std::vector<std::pair<gate::Baseline, record::Contender>> rivals;
  for (const ScoutedBaseline& baseline : scouted) {
    rivals.emplace_back(baseline.baseline, baseline.contender);
  }
  if (auto loops = loops_as_rival(context)) {
    kernel::TuningPoint point = loops->plan.tuning.defaults();
    rivals.emplace_back(gate::Baseline{k_plain_loops, "our compiler and flags"},
                        record::Contender{std::move(*loops), std::move(point), {}, {}});
  }
  std::vector<BaselineResult> results;
  for (const auto& [baseline, contender] : rivals) {
    if (context.stop.stop_requested()) {
      break;
    }
    const auto begin = now_by(context);
    if (seconds_between(begin, left.end) < left.expected_s) {
      notify_left_out(context, baseline.name);
      continue;
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
    left.expected_s = std::max(left.expected_s, seconds_between(begin, now_by(context)));
    notify(context, baseline, std::string(record::name_of(record.verdict.status)), true, record);
    if (record.verdict.status == record::Status::correct && !record.verdict.comparisons.empty()) {
      results.push_back({baseline, record.verdict.comparisons.front()});
    }
  }
  return results;
}

} // namespace hone::policy
