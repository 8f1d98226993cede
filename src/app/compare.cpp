#include "app/compare.h"

#include "app/result_json.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

constexpr std::string_view k_libraries = "libraries"; // all of them, in each setting

// What A is compared with, and what that is called in the answer.
struct Rival {
  std::string name;
  record::Contender contender;
};

// A checkpoint or a candidate folder; or a library in each of its settings, of which one is the strongest here.
Result<std::vector<Rival>> rivals_named(const Workbench& bench, store::Workflow& workflow, const std::string& name)
{
  std::vector<Rival> rivals;
  for (const gate::Baseline& baseline : gate::baselines_for(*bench.kernel, *bench.backend)) {
    if (name == k_libraries || name == baseline.name) {
      rivals.push_back({fmt::format("{} ({})", baseline.name, baseline.setting),
                        record::Contender{{}, {}, baseline.name, baseline.setting}});
    }
  }
  if (rivals.empty() && name == k_libraries) {
    return fail(fmt::format("no library on this machine computes {}", bench.kernel->name),
                "`hone doctor` says which libraries are there; products of f32 and f64 have some");
  }
  if (rivals.empty()) {
    HONE_TRY(record::Contender contender, contender_named(bench, &workflow, name));
    rivals.push_back({name, std::move(contender)});
  }
  return rivals;
}

Json band_json(const record::ComparisonResult& band)
{
  return {{"verdict", record::name_of(band.verdict)},
          {"ratio", band.ratio},
          {"ci95", interval_json(band.ci95)},
          {"pair_ratios", band.pair_ratios}};
}

Result<record::Record> judge(const Workbench& bench, execute::Executor& executor, const record::Contender& contender,
                             const record::Contender& incumbent)
{
  record::Job job;
  job.kind = record::Job::Kind::judge;
  job.contender = contender;
  job.incumbent = incumbent;
  job.recipe = bench.recipe;
  job.depth = record::Depth::promote;
  job.both_regimes = true;
  return executor.run(job);
}

// Only those regimes that the comparison has, in which A must have been correct.
Result<void> measure_bands(const Workbench& bench, execute::Executor& executor, store::Workflow& workflow,
                           const record::Contender& contender, const record::Verdict& verdict, Bands& bands)
{
  for (const record::ComparisonResult& comparison : verdict.comparisons) {
    if (bands.contains(comparison.regime)) {
      continue;
    }
    record::Job job;
    job.kind = record::Job::Kind::compare;
    job.contender = contender;
    job.incumbent = contender;
    job.recipe = bench.recipe;
    job.recipe.regime = comparison.regime;
    HONE_TRY(const record::Record record, executor.run(job));
    HONE_CHECK(workflow.append(record));
    bands.emplace(comparison.regime, record.verdict.comparisons.front());
  }
  return {};
}

Json rival_json(const CompareResult& result, const ComparedRival& rival)
{
  Json comparisons = Json::array();
  for (const record::ComparisonResult& comparison : rival.record.verdict.comparisons) {
    Json json = record::to_json(comparison);
    if (const auto band = band_in(rival.bands, comparison.regime)) {
      json["explanation"]["band"] = band_json(*band);
    }
    comparisons.push_back(std::move(json));
  }
  return {{"kernel", result.kernel},
          {"backend", result.backend},
          {"a", result.a},
          {"b", rival.name},
          {"recipe", record::to_json(rival.record.recipe_used)},
          {"status", record::name_of(rival.record.verdict.status)},
          {"reason", rival.record.verdict.reason},
          {"comparisons", comparisons},
          {"record", rival.record.id}};
}

} // namespace

std::optional<record::ComparisonResult> band_in(const Bands& bands, record::Regime regime)
{
  const auto found = bands.find(regime);
  return found == bands.end() ? std::nullopt : std::optional(found->second);
}

Result<CompareResult> compare(Context& context, const CompareRequest& request,
                              const std::function<void(const ComparedRival&)>& each)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(store::Workflow workflow, open_workflow(bench, executor->device(), context));
  HONE_TRY(const record::Contender contender, contender_named(bench, &workflow, request.a));
  HONE_TRY(const std::vector<Rival> rivals, rivals_named(bench, workflow, request.b));
  CompareResult result;
  result.kernel = bench.kernel->name;
  result.backend = bench.backend->name();
  result.a = request.a;
  result.single = rivals.size() == 1 && rivals.front().name == request.b;
  Bands bands;
  for (const Rival& rival : rivals) {
    context.observer->status(fmt::format("comparing with {} ...", rival.name));
    HONE_TRY(record::Record record, judge(bench, *executor, contender, rival.contender));
    context.observer->clear_status();
    if (context.stop.stop_requested()) {
      result.stopped = true;
      break;
    }
    HONE_CHECK(workflow.append(record));
    result.correct = result.correct && record.verdict.status == record::Status::correct;
    Result<void> banded;
    if (request.explain) {
      context.observer->status(fmt::format("comparing {} with a copy of itself ...", request.a));
      banded = measure_bands(bench, *executor, workflow, contender, record.verdict, bands);
      context.observer->clear_status();
    }
    result.rivals.push_back({rival.name, std::move(record), bands});
    each(result.rivals.back());
    HONE_CHECK(std::move(banded)); // after the answer, which does not need it
  }
  return result;
}

Json to_json(const CompareResult& result)
{
  if (result.single) {
    return rival_json(result, result.rivals.front());
  }
  Json answers = Json::array();
  for (const ComparedRival& rival : result.rivals) {
    answers.push_back(rival_json(result, rival));
  }
  return {{"kernel", result.kernel}, {"against", answers}};
}

} // namespace hone::app
