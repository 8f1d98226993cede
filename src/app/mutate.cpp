#include "app/mutate.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::app {

namespace {

Result<mutation_testing::MutationPlan> plan_of(Context& context, const MutateRequest& request, bool for_the_gate)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const record::Depth depth, record::depth_from(request.depth));
  if (bench.recipe.threads != 1) {
    return fail("mutants are validated on one thread", "leave --threads out", Place{"--threads", 0, 0});
  }
  kernel::Kernel judged = mutation_testing::with_small_sizes(*bench.kernel);
  if (!request.kernel.sizes.empty()) {
    judged.timed = {bench.recipe.sizes};
  }
  mutation_testing::MutationPlan plan;
  plan.backend = bench.backend;
  plan.only = request.only;
  plan.limit = request.limit;
  plan.controls = request.honest;
  plan.depth = depth;
  plan.seed = bench.seed != 0 ? bench.seed : fresh_seed();
  plan.survivors = request.out;
  plan.stop = context.stop;
  plan.progress = [&context](const std::string& text) { context.observer->status(text + " ..."); };
  if (request.candidate.empty()) {
    HONE_TRY(plan.subjects, mutation_testing::default_subjects(*bench.kernel, *bench.backend));
  } else {
    HONE_TRY(const record::Contender given, contender_named(bench, nullptr, request.candidate));
    if (given.candidate.backend != bench.backend->name()) {
      return fail(fmt::format("'{}' is a candidate for {}, not for {}", request.candidate, given.candidate.backend,
                              bench.backend->name()),
                  fmt::format("give --backend {}", given.candidate.backend), Place{"--backend", 0, 0});
    }
    plan.subjects = {{request.candidate, given.candidate, {}}};
  }
  if (for_the_gate) {
    HONE_CHECK(prove_check(bench, context));
  }
  plan.kernel = std::make_shared<const kernel::Kernel>(std::move(judged));
  return plan;
}

} // namespace

bool MutateResult::holds() const
{
  return report.count(mutation_testing::MutantFate::killed) > 0
         && report.count(mutation_testing::MutantFate::survived) == 0 && report.rejected() == 0;
}

OperatorCount count_of(const mutation_testing::MutationReport& report, std::string_view operation)
{
  OperatorCount row;
  for (const mutation_testing::MutantOutcome& mutant : report.mutants) {
    if (mutant.operation != operation) {
      continue;
    }
    ++row.mutants;
    row.killed += mutant.fate == mutation_testing::MutantFate::killed ? 1 : 0;
    row.survived += mutant.fate == mutation_testing::MutantFate::survived ? 1 : 0;
    row.equivalent += mutant.fate == mutation_testing::MutantFate::equivalent ? 1 : 0;
    row.not_a_mutant += mutant.fate == mutation_testing::MutantFate::not_a_mutant ? 1 : 0;
    if (mutant.fate == mutation_testing::MutantFate::killed) {
      ++row.killed_by[mutant.check];
    }
  }
  return row;
}

Result<MutateResult> mutate(Context& context, const MutateRequest& request)
{
  HONE_TRY(mutation_testing::MutationPlan plan, plan_of(context, request, true));
  HONE_TRY(mutation_testing::MutationReport report, mutation_testing::run_mutants(plan));
  context.observer->clear_status();
  return MutateResult{std::move(plan), std::move(report)};
}

Result<MutantList> list_mutants(Context& context, const MutateRequest& request)
{
  MutantList list;
  HONE_TRY(list.plan, plan_of(context, request, false));
  for (const mutation_testing::MutationSubject& subject : list.plan.subjects) {
    HONE_TRY(const std::vector<mutation_testing::Mutant> mutants, mutation_testing::mutants_of(list.plan, subject));
    for (const mutation_testing::Mutant& mutant : mutants) {
      list.mutants.push_back({subject.name, std::string(mutant.operation), mutant.change,
                              mutation_testing::difference_of(subject.candidate, mutant.candidate)});
    }
  }
  return list;
}

Json to_json(const MutateResult& result)
{
  const mutation_testing::MutationPlan& plan = result.plan;
  const mutation_testing::MutationReport& report = result.report;
  Json subjects = Json::array();
  for (const mutation_testing::MutationSubject& subject : plan.subjects) {
    subjects.push_back({{"name", subject.name}, {"candidate", subject.candidate.hash()}, {"steps", subject.steps}});
  }
  Json operators = Json::array();
  for (const auto& [name, meaning] : mutation_testing::mutation_operator_names()) {
    const OperatorCount row = count_of(report, name);
    operators.push_back({{"operator", name},
                         {"meaning", meaning},
                         {"mutants", row.mutants},
                         {"killed", row.killed},
                         {"survived", row.survived},
                         {"equivalent", row.equivalent},
                         {"not_a_mutant", row.not_a_mutant},
                         {"killed_by", row.killed_by}});
  }
  Json mutants = Json::array();
  for (const mutation_testing::MutantOutcome& mutant : report.mutants) {
    mutants.push_back({{"subject", mutant.subject},
                       {"operator", mutant.operation},
                       {"change", mutant.change},
                       {"fate", mutation_testing::name_of(mutant.fate)},
                       {"status", record::name_of(mutant.status)},
                       {"check", mutant.check},
                       {"reason", mutant.reason},
                       {"difference", mutant.difference}});
  }
  Json honest = Json::array();
  for (const mutation_testing::ControlOutcome& run : report.controls) {
    honest.push_back(
      {{"subject", run.subject}, {"seed", run.seed}, {"status", record::name_of(run.status)}, {"reason", run.reason}});
  }
  return {{"kernel", plan.kernel->name},
          {"backend", plan.backend->name()},
          {"sizes", plan.kernel->timed.front()},
          {"depth", record::name_of(plan.depth)},
          {"seed", plan.seed},
          {"subjects", subjects},
          {"operators", operators},
          {"mutants", mutants},
          {"killed", report.count(mutation_testing::MutantFate::killed)},
          {"survived", report.count(mutation_testing::MutantFate::survived)},
          {"score", report.score()},
          {"honest", {{"runs", report.controls.size()}, {"rejected", report.rejected()}, {"outcomes", honest}}},
          {"seconds", report.seconds},
          {"stopped", report.stopped}};
}

Json to_json(const MutantList& list)
{
  Json mutants = Json::array();
  for (const ListedMutant& mutant : list.mutants) {
    mutants.push_back({{"subject", mutant.subject},
                       {"operator", mutant.operation},
                       {"change", mutant.change},
                       {"difference", mutant.difference}});
  }
  return {{"kernel", list.plan.kernel->name},
          {"backend", list.plan.backend->name()},
          {"seed", list.plan.seed},
          {"mutants", mutants}};
}

} // namespace hone::app
