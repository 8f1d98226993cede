// hone mutate: wrong candidates made out of right ones, and whether the gate finds them all.
#include "app/mutate.h"

#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct MutateOptions {
  MutateRequest request;
  bool dry_run = false;
};

std::string by_text(const std::map<std::string, std::size_t>& killed_by)
{
  std::vector<std::string> parts;
  for (const auto& [check, count] : killed_by) {
    parts.push_back(fmt::format("{} {}", check, count));
  }
  return join(parts, ", ");
}

void print_subjects(const Terminal& terminal, const mutation_testing::MutationPlan& plan)
{
  terminal.out(fmt::format("{} on {}, sizes {}, depth {}, seed {}", plan.kernel->name, plan.backend->name(),
                           kernel::to_text(plan.kernel->timed.front()), record::name_of(plan.depth), plan.seed));
  for (const mutation_testing::MutationSubject& subject : plan.subjects) {
    terminal.out(fmt::format("  {}{}", subject.name, subject.steps.empty() ? "" : ": " + join(subject.steps, ", ")));
  }
}

// Survivors, and what was refused though it is right: each with its evidence.
void print_mistakes(const Terminal& terminal, const mutation_testing::MutationReport& report)
{
  for (const mutation_testing::MutantOutcome& mutant : report.mutants) {
    const bool refused =
      mutant.fate == mutation_testing::MutantFate::equivalent && mutant.status != record::Status::correct;
    if (mutant.fate != mutation_testing::MutantFate::survived && !refused) {
      continue;
    }
    terminal.out(fmt::format("\n{} {} of {}: {}\n{}",
                             terminal.paint(Tone::bad, refused ? "REFUSED THOUGH THE SAME" : "SURVIVED"),
                             mutant.operation, mutant.subject, mutant.change, mutant.difference));
    if (refused) {
      terminal.out(mutant.reason);
    }
  }
  for (const mutation_testing::ControlOutcome& run : report.controls) {
    if (run.status != record::Status::correct) {
      terminal.out(fmt::format("\n{} {} under seed {}: {}: {}", terminal.paint(Tone::bad, "REFUSED THOUGH RIGHT"),
                               run.subject, run.seed, record::name_of(run.status), run.reason));
    }
  }
}

void print_report(const Terminal& terminal, const mutation_testing::MutationPlan& plan,
                  const mutation_testing::MutationReport& report)
{
  print_subjects(terminal, plan);
  std::vector<std::vector<std::string>> rows{{"operator", "mutants", "killed", "survived", "equivalent", "killed by"}};
  for (const auto& [name, meaning] : mutation_testing::mutation_operator_names()) {
    const OperatorCount row = count_of(report, name);
    if (const std::size_t mutants = row.mutants - row.not_a_mutant; mutants > 0) {
      rows.push_back({std::string(name), std::to_string(mutants), std::to_string(row.killed),
                      std::to_string(row.survived), std::to_string(row.equivalent), by_text(row.killed_by)});
    }
  }
  terminal.out(aligned_table(rows));
  print_mistakes(terminal, report);
  const std::size_t killed = report.count(mutation_testing::MutantFate::killed),
                    wrong = killed + report.count(mutation_testing::MutantFate::survived);
  const std::size_t right = report.controls.size() + report.count(mutation_testing::MutantFate::equivalent);
  const bool all = killed == wrong && report.rejected() == 0;
  const char* const outcome = !all             ? "DOES NOT HOLD"
                              : report.stopped ? "so far"
                              : wrong == 0     ? "SHOWS NOTHING"
                                               : "holds";
  terminal.out(fmt::format(
    "{}: {} of {} wrong candidates refused ({:.1f} %); {} of {} right ones refused; {:.0f} s{}{}",
    terminal.paint(all && wrong > 0 ? Tone::good : Tone::bad, outcome), killed, wrong, 100 * report.score(),
    report.rejected(), right, report.seconds,
    report.count(mutation_testing::MutantFate::not_a_mutant) > 0
      ? fmt::format("; {} did not compile or have no launch", report.count(mutation_testing::MutantFate::not_a_mutant))
      : "",
    report.stopped ? "; stopped before the end" : ""));
}

// The mutants themselves, each with what it changes.
Result<Exit> show(Context& context, const MutateRequest& request)
{
  HONE_TRY(const MutantList list, list_mutants(context, request));
  const Terminal& terminal = context.terminal;
  print_subjects(terminal, list.plan);
  for (const ListedMutant& mutant : list.mutants) {
    terminal.out(fmt::format("\n{} of {}: {}\n{}", terminal.paint(Tone::strong, mutant.operation), mutant.subject,
                             mutant.change, mutant.difference));
  }
  terminal.out(fmt::format("{} mutants", list.mutants.size()));
  context.print_json(to_json(list));
  return Exit::ok;
}

Result<Exit> mutate_and_print(Context& context, const MutateOptions& options)
{
  if (options.dry_run) {
    return show(context, options.request);
  }
  HONE_TRY(const MutateResult result, app::mutate(context, options.request));
  print_report(context.terminal, result.plan, result.report);
  context.print_json(to_json(result));
  if (result.report.stopped) {
    return Exit::interrupted;
  }
  return result.holds() ? Exit::ok : Exit::negative;
}

} // namespace

void add_mutate(CommandLine& line)
{
  auto options = std::make_shared<MutateOptions>();
  CLI::App* command = line.add("mutate", "Make wrong candidates out of right ones and show that the gate refuses them",
                               {"hone mutate kernels/softmax", "hone mutate matmul --backend opencl --limit 0",
                                "hone mutate matmul my-candidate --operator index-off-by-one --dry-run"},
                               [options](Context& context) { return mutate_and_print(context, *options); });
  MutateRequest& request = options->request;
  add_kernel_options(line, command, request.kernel);
  command->add_option("CANDIDATE", request.candidate,
                      "folder with a right candidate, in place of the naive one and the one at the step list's end");
  command->add_option("--operator", request.only, "only these kinds of mistakes; may be given several times");
  command->add_option("--limit", request.limit, "mutants per operator and candidate, drawn by the seed; 0: all (4)");
  command->add_option("--honest", request.honest, "how often each unchanged candidate is validated (5)");
  command->add_option("--depth", request.depth, "how deep to check: screen or promote (promote)")
    ->check(CLI::IsMember({"screen", "promote"}));
  command->add_option("--out", request.out, "a folder for survivors, each as a candidate");
  command->add_flag("--dry-run", options->dry_run, "print the mutants, and do not put them through the gate");
}

} // namespace hone::cli
