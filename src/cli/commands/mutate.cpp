// hone mutate: wrong candidates made out of right ones, and whether the gate finds them all.
#include "mutate/mutate.h"

#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hone::cli {

namespace {

struct MutateOptions {
  KernelOptions kernel;
  std::string candidate;
  std::string depth = "promote";
  std::string out;
  std::vector<std::string> only;
  std::size_t limit = 4;
  std::size_t honest = 5;
  bool dry_run = false;
};

Result<MutationPlan> plan_of(Context& context, const MutateOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Depth depth, depth_from(options.depth));
  if (bench.recipe.threads != 1) {
    return fail("mutants are validated on one thread", "leave --threads out", Place{"--threads", 0, 0});
  }
  Kernel judged = with_small_sizes(*bench.kernel);
  if (!options.kernel.sizes.empty()) {
    judged.timed = {bench.recipe.sizes};
  }
  MutationPlan plan;
  plan.backend = bench.backend;
  plan.only = options.only;
  plan.limit = options.limit;
  plan.controls = options.honest;
  plan.depth = depth;
  plan.seed = bench.seed != 0 ? bench.seed : fresh_seed();
  plan.survivors = options.out;
  plan.stop = context.stop;
  plan.progress = [&context](const std::string& text) { context.terminal.status(text + " ..."); };
  if (options.candidate.empty()) {
    HONE_TRY(plan.subjects, default_subjects(*bench.kernel, *bench.backend));
  } else {
    HONE_TRY(const Contender given, contender_named(bench, nullptr, options.candidate));
    if (given.candidate.backend != bench.backend->name()) {
      return fail(fmt::format("'{}' is a candidate for {}, not for {}", options.candidate, given.candidate.backend,
                              bench.backend->name()),
                  fmt::format("give --backend {}", given.candidate.backend), Place{"--backend", 0, 0});
    }
    plan.subjects = {{options.candidate, given.candidate, {}}};
  }
  if (!options.dry_run) {
    HONE_CHECK(prove_check(bench, context));
  }
  plan.kernel = std::make_shared<const Kernel>(std::move(judged));
  return plan;
}

// What became of one operator's mutants.
struct Row {
  std::size_t mutants = 0, killed = 0, survived = 0, equivalent = 0, not_a_mutant = 0;
  std::map<std::string, std::size_t> killed_by; // check -> how many
};

Row row_of(const MutationReport& report, std::string_view operation)
{
  Row row;
  for (const MutantOutcome& mutant : report.mutants) {
    if (mutant.operation != operation) {
      continue;
    }
    ++row.mutants;
    row.killed += mutant.fate == MutantFate::killed ? 1 : 0;
    row.survived += mutant.fate == MutantFate::survived ? 1 : 0;
    row.equivalent += mutant.fate == MutantFate::equivalent ? 1 : 0;
    row.not_a_mutant += mutant.fate == MutantFate::not_a_mutant ? 1 : 0;
    if (mutant.fate == MutantFate::killed) {
      ++row.killed_by[mutant.check];
    }
  }
  return row;
}

std::string by_text(const std::map<std::string, std::size_t>& killed_by)
{
  std::vector<std::string> parts;
  for (const auto& [check, count] : killed_by) {
    parts.push_back(fmt::format("{} {}", check, count));
  }
  return join(parts, ", ");
}

Json report_json(const MutationPlan& plan, const MutationReport& report)
{
  Json subjects = Json::array();
  for (const MutationSubject& subject : plan.subjects) {
    subjects.push_back({{"name", subject.name}, {"candidate", subject.candidate.hash()}, {"steps", subject.steps}});
  }
  Json operators = Json::array();
  for (const auto& [name, meaning] : mutation_operator_names()) {
    const Row row = row_of(report, name);
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
  for (const MutantOutcome& mutant : report.mutants) {
    mutants.push_back({{"subject", mutant.subject},
                       {"operator", mutant.operation},
                       {"change", mutant.change},
                       {"fate", name_of(mutant.fate)},
                       {"status", name_of(mutant.status)},
                       {"check", mutant.check},
                       {"reason", mutant.reason},
                       {"difference", mutant.difference}});
  }
  Json honest = Json::array();
  for (const ControlOutcome& run : report.controls) {
    honest.push_back(
      {{"subject", run.subject}, {"seed", run.seed}, {"status", name_of(run.status)}, {"reason", run.reason}});
  }
  return {{"kernel", plan.kernel->name},
          {"backend", plan.backend->name()},
          {"sizes", plan.kernel->timed.front()},
          {"depth", name_of(plan.depth)},
          {"seed", plan.seed},
          {"subjects", subjects},
          {"operators", operators},
          {"mutants", mutants},
          {"killed", report.count(MutantFate::killed)},
          {"survived", report.count(MutantFate::survived)},
          {"score", report.score()},
          {"honest", {{"runs", report.controls.size()}, {"rejected", report.rejected()}, {"outcomes", honest}}},
          {"seconds", report.seconds},
          {"stopped", report.stopped}};
}

void print_subjects(const Terminal& terminal, const MutationPlan& plan)
{
  terminal.out(fmt::format("{} on {}, sizes {}, depth {}, seed {}", plan.kernel->name, plan.backend->name(),
                           to_text(plan.kernel->timed.front()), name_of(plan.depth), plan.seed));
  for (const MutationSubject& subject : plan.subjects) {
    terminal.out(fmt::format("  {}{}", subject.name, subject.steps.empty() ? "" : ": " + join(subject.steps, ", ")));
  }
}

// Survivors, and what was refused though it is right: each with its evidence.
void print_mistakes(const Terminal& terminal, const MutationReport& report)
{
  for (const MutantOutcome& mutant : report.mutants) {
    const bool refused = mutant.fate == MutantFate::equivalent && mutant.status != Status::correct;
    if (mutant.fate != MutantFate::survived && !refused) {
      continue;
    }
    terminal.out(fmt::format("\n{} {} of {}: {}\n{}",
                             terminal.paint(Tone::bad, refused ? "REFUSED THOUGH THE SAME" : "SURVIVED"),
                             mutant.operation, mutant.subject, mutant.change, mutant.difference));
    if (refused) {
      terminal.out(mutant.reason);
    }
  }
  for (const ControlOutcome& run : report.controls) {
    if (run.status != Status::correct) {
      terminal.out(fmt::format("\n{} {} under seed {}: {}: {}", terminal.paint(Tone::bad, "REFUSED THOUGH RIGHT"),
                               run.subject, run.seed, name_of(run.status), run.reason));
    }
  }
}

void print_report(const Terminal& terminal, const MutationPlan& plan, const MutationReport& report)
{
  print_subjects(terminal, plan);
  std::vector<std::vector<std::string>> rows{{"operator", "mutants", "killed", "survived", "equivalent", "killed by"}};
  for (const auto& [name, meaning] : mutation_operator_names()) {
    const Row row = row_of(report, name);
    if (const std::size_t mutants = row.mutants - row.not_a_mutant; mutants > 0) {
      rows.push_back({std::string(name), std::to_string(mutants), std::to_string(row.killed),
                      std::to_string(row.survived), std::to_string(row.equivalent), by_text(row.killed_by)});
    }
  }
  terminal.out(aligned_table(rows));
  print_mistakes(terminal, report);
  const std::size_t killed = report.count(MutantFate::killed), wrong = killed + report.count(MutantFate::survived);
  const std::size_t right = report.controls.size() + report.count(MutantFate::equivalent);
  const bool all = killed == wrong && report.rejected() == 0;
  const char* const outcome = !all             ? "DOES NOT HOLD"
                              : report.stopped ? "so far"
                              : wrong == 0     ? "SHOWS NOTHING"
                                               : "holds";
  terminal.out(
    fmt::format("{}: {} of {} wrong candidates refused ({:.1f} %); {} of {} right ones refused; {:.0f} s{}{}",
                terminal.paint(all && wrong > 0 ? Tone::good : Tone::bad, outcome), killed, wrong, 100 * report.score(),
                report.rejected(), right, report.seconds,
                report.count(MutantFate::not_a_mutant) > 0
                  ? fmt::format("; {} did not compile or have no launch", report.count(MutantFate::not_a_mutant))
                  : "",
                report.stopped ? "; stopped before the end" : ""));
}

// The mutants themselves, each with what it changes.
Result<Exit> show(Context& context, const MutationPlan& plan)
{
  print_subjects(context.terminal, plan);
  Json list = Json::array();
  for (const MutationSubject& subject : plan.subjects) {
    HONE_TRY(const std::vector<Mutant> mutants, mutants_of(plan, subject));
    for (const Mutant& mutant : mutants) {
      const std::string difference = difference_of(subject.candidate, mutant.candidate);
      context.terminal.out(fmt::format("\n{} of {}: {}\n{}", context.terminal.paint(Tone::strong, mutant.operation),
                                       subject.name, mutant.change, difference));
      list.push_back({{"subject", subject.name},
                      {"operator", mutant.operation},
                      {"change", mutant.change},
                      {"difference", difference}});
    }
  }
  context.terminal.out(fmt::format("{} mutants", list.size()));
  context.print_json(
    {{"kernel", plan.kernel->name}, {"backend", plan.backend->name()}, {"seed", plan.seed}, {"mutants", list}});
  return Exit::ok;
}

Result<Exit> mutate(Context& context, const MutateOptions& options)
{
  HONE_TRY(const MutationPlan plan, plan_of(context, options));
  if (options.dry_run) {
    return show(context, plan);
  }
  HONE_TRY(const MutationReport report, run_mutants(plan));
  context.terminal.clear_status();
  print_report(context.terminal, plan, report);
  context.print_json(report_json(plan, report));
  if (report.stopped) {
    return Exit::interrupted;
  }
  // Where no wrong candidate could be made, nothing was shown.
  const bool holds = report.count(MutantFate::killed) > 0 && report.count(MutantFate::survived) == 0;
  return holds && report.rejected() == 0 ? Exit::ok : Exit::negative;
}

} // namespace

void add_mutate(CommandLine& line)
{
  auto options = std::make_shared<MutateOptions>();
  CLI::App* command = line.add("mutate", "Make wrong candidates out of right ones and show that the gate refuses them",
                               {"hone mutate kernels/softmax", "hone mutate matmul --backend opencl --limit 0",
                                "hone mutate matmul my-candidate --operator index-off-by-one --dry-run"},
                               [options](Context& context) { return mutate(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CANDIDATE", options->candidate,
                      "folder with a right candidate, in place of the naive one and the one at the step list's end");
  command->add_option("--operator", options->only, "only these kinds of mistakes; may be given several times");
  command->add_option("--limit", options->limit, "mutants per operator and candidate, drawn by the seed; 0: all (4)");
  command->add_option("--honest", options->honest, "how often each unchanged candidate is validated (5)");
  command->add_option("--depth", options->depth, "how deep to check: screen or promote (promote)")
    ->check(CLI::IsMember({"screen", "promote"}));
  command->add_option("--out", options->out, "a folder for survivors, each as a candidate");
  command->add_flag("--dry-run", options->dry_run, "print the mutants, and do not put them through the gate");
}

} // namespace hone::cli
