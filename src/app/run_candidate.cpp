#include "app/run_candidate.h"

#include "app/figures.h"
#include "app/result_json.h"
#include "inputs/catalogue.h"
#include "kernel/size_conditions.h"
#include "policy/policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::app {

namespace {

Result<record::Contender> contender_for(const Workbench& bench, const CandidateRequest& request)
{
  if (request.naive) {
    return naive_contender(bench);
  }
  return contender_named(bench, nullptr, request.candidate);
}

template <class T> Result<T> from_flag(Result<T> named, const char* flag)
{
  if (!named) {
    named.error().place = Place{flag, 0, 0};
  }
  return named;
}

Result<inputs::ForcedInputs> forced_inputs(const CandidateRequest& request)
{
  inputs::ForcedInputs forced;
  if (!request.values.empty()) {
    HONE_TRY(forced.values, from_flag(inputs::values_named(request.values), "--values"));
  }
  if (!request.size_kind.empty()) {
    HONE_TRY(forced.sizes, from_flag(inputs::size_row_named(request.size_kind), "--size-kind"));
  }
  return forced;
}

constexpr int k_quick_pairs = 2;

// What a quick run compares with; nothing where no climb has found a best yet.
std::optional<store::Checkpoint> best_so_far(const Workbench& bench)
{
  const auto workflow = open_existing_workflow(bench);
  auto best = workflow ? workflow->best() : Result<std::optional<store::Checkpoint>>(std::nullopt);
  return best ? std::move(*best) : std::nullopt;
}

// `against` is set in `run` where there is something to compare with.
record::Job job_for(const Workbench& bench, const CandidateRequest& request, bool forced, record::Contender contender,
                    CandidateRun& run)
{
  record::Job job;
  job.kind = request.untimed || forced ? record::Job::Kind::validate : record::Job::Kind::measure;
  job.contender = std::move(contender);
  job.recipe = bench.recipe;
  job.depth = record::Depth::promote;
  job.both_regimes = true;
  if (!request.quick) {
    return job;
  }
  job.depth = record::Depth::glance;
  job.both_regimes = false;
  job.recipe.pairs = k_quick_pairs;
  if (const auto best = request.untimed ? std::nullopt : best_so_far(bench)) {
    job.kind = record::Job::Kind::judge;
    job.incumbent = record::Contender{best->candidate, best->point, {}, {}};
    run.against = best->id;
  }
  return job;
}

Json quick_json(const CandidateRun& run)
{
  if (run.against.empty() || run.record->verdict.comparisons.empty()) {
    return nullptr;
  }
  const record::ComparisonResult& comparison = run.record->verdict.comparisons.front();
  return {{"against", run.against},
          {"verdict", record::name_of(comparison.verdict)},
          {"ratio", comparison.ratio},
          {"ci95", interval_json(comparison.ci95)}};
}

Json by_size_json(const record::Verdict& verdict)
{
  Json list = Json::array();
  for (const record::ComparisonResult& comparison : verdict.comparisons) {
    for (const record::SizedComparison& one : comparison.by_size) {
      list.push_back({{"sizes", one.sizes},
                      {"regime", record::name_of(comparison.regime)},
                      {"time_s", time_json(one.result.candidate)}});
    }
  }
  return list;
}

Json record_json(const CandidateRun& run, const record::Record& record)
{
  const record::Verdict& verdict = record.verdict;
  Json checks = Json::array();
  for (const record::CheckResult& check : verdict.checks) {
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  Json spent = Json::object();
  for (const auto& [phase, seconds] : verdict.spent) {
    spent[phase] = seconds;
  }
  return {{"kernel", run.kernel},
          {"backend", run.backend},
          {"candidate", record.candidate},
          {"point", point_json(record.point)},
          {"recipe", record::to_json(record.recipe_used)},
          {"status", record::name_of(verdict.status)},
          {"tier", record::name_of(verdict.tier)},
          {"reason", verdict.reason},
          {"accuracy", run.accuracy},
          {"log", verdict.log},
          {"errors",
           {{"worst_normalised", verdict.errors.worst_normalised},
            {"worst_relative", verdict.errors.worst_relative},
            {"where", verdict.errors.worst_where}}},
          {"time_s", {{"cold", time_json(verdict.cold)}, {"hot", time_json(verdict.hot)}}},
          {"preparation_s", time_json(verdict.preparation())},
          {"checks", checks},
          {"validators", record::to_json(verdict.validators)},
          {"spent", spent},
          {"quick", quick_json(run)},
          {"by_size", by_size_json(verdict)},
          {"sweep", run.sweep ? to_json(*run.sweep) : Json(nullptr)},
          {"record", record.id}};
}

Json refused_json(const CandidateRun& run, const Error& error)
{
  return {{"kernel", run.kernel},
          {"backend", run.backend},
          {"status", record::name_of(record::Status::constraints)},
          {"tier", record::name_of(run.tier)},
          {"reason", error.text()},
          {"errors", nullptr},
          {"time_s", {{"cold", nullptr}, {"hot", nullptr}}},
          {"checks", Json::array()},
          {"validators", Json::array()},
          {"spent", Json::object()}};
}

// Against the best checkpoint, or against what a climb begins with.
Result<SweepRequest> sweep_request(const Workbench& bench, const CandidateRequest& request,
                                   const record::Contender& ours)
{
  SweepRequest sweep;
  HONE_TRY(sweep.sizes, parse_sweep(*bench.kernel, bench.recipe.sizes, request.sweep));
  sweep.ours = ours;
  sweep.ours_name = request.naive ? "naive" : "candidate";
  if (const auto best = best_so_far(bench)) {
    sweep.theirs = record::Contender{best->candidate, best->point, {}, {}};
    sweep.theirs_name = "best";
    return sweep;
  }
  HONE_TRY(kernel::Candidate start, policy::start_candidate(*bench.kernel, *bench.backend));
  kernel::TuningPoint point = start.plan.tuning.defaults();
  sweep.theirs = record::Contender{std::move(start), std::move(point), {}, {}};
  sweep.theirs_name = "start";
  return sweep;
}

} // namespace

Result<CandidateRun> run_candidate(Context& context, const CandidateRequest& request)
{
  HONE_TRY(const inputs::ForcedInputs forced, forced_inputs(request));
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  CandidateRun run;
  run.kernel = bench.kernel->name;
  run.backend = bench.backend->name();
  run.tier = bench.backend->tier();
  run.accuracy = kernel::accuracy_text(*bench.kernel);
  auto contender = contender_for(bench, request);
  if (!contender) {
    run.refused = std::move(contender.error());
    return run;
  }
  std::optional<SweepRequest> sweep;
  if (!request.sweep.empty()) {
    HONE_TRY(sweep, sweep_request(bench, request, *contender));
  }
  const bool measures = (!request.untimed && !forced.any()) || sweep;
  HONE_TRY(const auto executor, open_executor(bench, context, forced, measures ? Measures::yes : Measures::no));
  record::Job job = job_for(bench, request, forced.any(), std::move(*contender), run);
  context.observer->status("through the gate ...");
  const execute::JobId id = executor->submit(std::move(job), [&context](const execute::JobProgress& progress) {
    if (!progress.phase.empty()) {
      context.observer->status(fmt::format("through the gate: {} ...", progress.phase));
    }
  });
  HONE_TRY(run.record, executor->wait(id).record);
  context.observer->clear_status();
  if (sweep && run.record->verdict.status == record::Status::correct && !context.stop.stop_requested()) {
    HONE_TRY(run.sweep, sweep_sizes(context, bench, *executor, *sweep));
  }
  return run;
}

std::optional<kernel::Sizes> glance_sizes(const kernel::Kernel& kernel)
{
  if (kernel.also != kernel::AlsoSizes::any) {
    return std::nullopt;
  }
  constexpr std::int64_t k_extents[] = {37, 29, 43, 23, 31, 19};
  kernel::Sizes sizes = kernel.timed.front();
  std::size_t i = 0;
  for (auto& [name, value] : sizes) {
    value = std::min(value, k_extents[i++ % std::size(k_extents)]);
  }
  sizes = kernel::with_conditions_met(kernel, std::move(sizes));
  return kernel::check_size_conditions(kernel, sizes) ? std::optional(std::move(sizes)) : std::nullopt;
}

std::string quick_text(const CandidateRun& run)
{
  const record::Verdict& verdict = run.record->verdict;
  if (verdict.status != record::Status::correct) {
    return fmt::format("{}: {}", record::name_of(verdict.status), verdict.reason);
  }
  if (verdict.comparisons.empty()) {
    return "correct at a glance";
  }
  if (run.against.empty()) {
    return "correct; there is no best checkpoint to compare it with (`hone optimize` makes one)";
  }
  const record::ComparisonResult& comparison = verdict.comparisons.front();
  const std::string best = fmt::format("the best checkpoint ({})", short_id(run.against));
  switch (comparison.verdict) {
  case record::Comparison::fast:
    return fmt::format("correct; {} faster than {}", ratio_text(comparison.ratio), best);
  case record::Comparison::slow:
    return fmt::format("correct; {} slower than {}", ratio_text(1 / comparison.ratio), best);
  case record::Comparison::same:
    return fmt::format("correct; as fast as {}", best);
  case record::Comparison::ambiguous:
    break;
  }
  return fmt::format("correct; {} of the speed of {}", ratio_text(comparison.ratio, comparison.ci95), best);
}

std::string seed_of(const record::Verdict& verdict)
{
  const auto found = std::ranges::find(verdict.checks, "seed", &record::CheckResult::name);
  return found == verdict.checks.end() ? "" : found->detail;
}

Json to_json(const CandidateRun& run)
{
  return run.record ? record_json(run, *run.record) : refused_json(run, *run.refused);
}

} // namespace hone::app
