#include "app/compare.h"

#include "app/figures.h"
#include "app/library_names.h"
#include "app/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
  for (const gate::Baseline& baseline : gate::baselines_for(*bench.kernel, bench.recipe.sizes, *bench.backend)) {
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

// A glance: who cannot be built or is plainly wrong has no place in a ranking. Empty: nothing was found.
Result<std::string> what_is_wrong(const Workbench& bench, execute::Executor& executor,
                                  const record::Contender& contender)
{
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender = contender;
  job.recipe = bench.recipe;
  job.depth = record::Depth::glance;
  HONE_TRY(const record::Record record, executor.run(job));
  return record.verdict.status == record::Status::correct ? std::string() : verdict_text(record.verdict);
}

std::vector<RankedContender> ranked(const CompareResult& result)
{
  std::vector<RankedContender> ranking{{result.a, 1, {1, 1}}};
  for (const ComparedRival& rival : result.rivals) {
    const auto& comparisons = rival.record.verdict.comparisons;
    if (!comparisons.empty() && comparisons.front().ratio > 0) {
      const record::ComparisonResult& comparison = comparisons.front();
      ranking.push_back({rival.name, 1 / comparison.ratio, {1 / comparison.ci95.high, 1 / comparison.ci95.low}});
    }
  }
  std::ranges::stable_sort(ranking, std::ranges::greater(), &RankedContender::speed);
  return ranking;
}

// What A was compared with was not checked by that: whoever comes out first is judged in full against the next, or
// leaves the ranking. A itself was judged already.
Result<void> find_winner(const Workbench& bench, execute::Executor& executor, store::Workflow& workflow,
                         const std::map<std::string, record::Contender>& contenders, CompareResult& result)
{
  result.ranking = ranked(result);
  while (result.correct && result.ranking.size() > 1) {
    const std::string name = result.ranking[0].name;
    const std::string next = result.ranking[1].name;
    if (name == result.a) {
      const auto rival = std::ranges::find(result.rivals, next, &ComparedRival::name);
      result.winner = Winner{name, next, rival->record.verdict.comparisons.front()};
      return {};
    }
    HONE_TRY(const record::Record record, judge(bench, executor, contenders.at(name), contenders.at(next)));
    HONE_CHECK(workflow.append(record));
    if (record.verdict.status == record::Status::correct && !record.verdict.comparisons.empty()) {
      result.winner = Winner{name, next, record.verdict.comparisons.front()};
      return {};
    }
    result.refused.push_back(fmt::format("{}: {}", name, verdict_text(record.verdict)));
    result.ranking.erase(result.ranking.begin());
  }
  return {};
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
          {"library", rival.library},
          {"recipe", record::to_json(rival.record.recipe_used)},
          {"accuracy", result.accuracy},
          {"sweep", rival.sweep ? to_json(*rival.sweep) : Json(nullptr)},
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

std::string winner_text(const CompareResult& result)
{
  if (!result.winner) {
    return "";
  }
  const Winner& winner = *result.winner;
  const std::string ratio = ratio_text(winner.comparison.ratio, winner.comparison.ci95);
  if (winner.comparison.verdict != record::Comparison::fast) {
    return fmt::format("no single one is the fastest: {} and {} are too close ({}, {})", winner.name, winner.next,
                       record::name_of(winner.comparison.verdict), ratio);
  }
  return fmt::format("{} is the fastest: {} the speed of {}, the next one", winner.name, ratio, winner.next);
}

Result<CompareResult> compare(Context& context, const CompareRequest& request,
                              const std::function<void(const ComparedRival&)>& each)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(store::Workflow workflow, open_workflow(bench, executor->device(), context));
  HONE_TRY(const record::Contender contender, contender_named(bench, &workflow, request.a));
  std::vector<Rival> rivals;
  for (const std::string& name : request.others) {
    HONE_TRY(std::vector<Rival> named, rivals_named(bench, workflow, name));
    std::ranges::move(named, std::back_inserter(rivals));
  }
  std::vector<kernel::Sizes> swept;
  if (!request.sweep.empty()) {
    HONE_TRY(swept, parse_sweep(*bench.kernel, bench.recipe.sizes, request.sweep));
  }
  CompareResult result;
  result.kernel = bench.kernel->name;
  result.backend = bench.backend->name();
  result.accuracy = kernel::accuracy_text(*bench.kernel);
  result.a = request.a;
  result.single = request.others.size() == 1 && rivals.size() == 1 && rivals.front().name == request.others.front();
  Bands bands;
  const LibraryVersions versions = library_versions();
  for (const Rival& rival : rivals) {
    context.observer->status(fmt::format("comparing with {} ...", rival.name));
    if (request.others.size() > 1 && rival.contender.library.empty()) {
      HONE_TRY(const std::string wrong, what_is_wrong(bench, *executor, rival.contender));
      if (!wrong.empty()) {
        result.refused.push_back(fmt::format("{}: {}", rival.name, wrong));
        continue;
      }
    }
    Result<record::Record> judged = judge(bench, *executor, contender, rival.contender);
    context.observer->clear_status();
    if (!judged && rivals.size() > 1 && !rival.contender.library.empty() && !context.stop.stop_requested()) {
      result.refused.push_back(fmt::format("{}: {}", rival.name, judged.error().message));
      continue; // a library that does not take these sizes leaves the others in the ranking
    }
    HONE_TRY(record::Record record, std::move(judged));
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
    const bool correct = record.verdict.status == record::Status::correct;
    const record::Contender& other = rival.contender;
    result.rivals.push_back(
      {rival.name,
       std::move(record),
       bands,
       {},
       other.library.empty() ? "" : library_text(other.library, other.library_setting, versions)});
    if (!swept.empty() && correct) {
      HONE_TRY(result.rivals.back().sweep,
               sweep_sizes(context, bench, *executor, {contender, rival.contender, request.a, rival.name, swept}));
      result.stopped = result.rivals.back().sweep->stopped;
    }
    each(result.rivals.back());
    HONE_CHECK(std::move(banded)); // after the answer, which does not need it
  }
  if (request.others.size() > 1 && !result.stopped) {
    std::map<std::string, record::Contender> contenders{{request.a, contender}};
    for (const Rival& rival : rivals) {
      contenders.emplace(rival.name, rival.contender);
    }
    context.observer->status("the fastest against the next ...");
    HONE_CHECK(find_winner(bench, *executor, workflow, contenders, result));
    context.observer->clear_status();
    result.stopped = context.stop.stop_requested();
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
  Json json{{"kernel", result.kernel}, {"against", answers}};
  if (!result.ranking.empty()) {
    Json ranking = Json::array();
    for (const RankedContender& one : result.ranking) {
      ranking.push_back({{"name", one.name}, {"speed", one.speed}, {"ci95", interval_json(one.ci95)}});
    }
    json["ranking"] = std::move(ranking);
    json["refused"] = result.refused;
    json["winner"] = result.winner ? Json{{"name", result.winner->name},
                                          {"next", result.winner->next},
                                          {"verdict", record::name_of(result.winner->comparison.verdict)},
                                          {"ratio", result.winner->comparison.ratio},
                                          {"ci95", interval_json(result.winner->comparison.ci95)}}
                                   : Json(nullptr);
  }
  return json;
}

} // namespace hone::app
