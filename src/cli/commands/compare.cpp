// hone compare: two checkpoints or candidate folders, side by side under one recipe.
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct CompareOptions {
  KernelOptions kernel;
  std::string a, b;
};

Json compare_json(const Workbench& bench, const CompareOptions& options, const Record& record)
{
  Json comparisons = Json::array();
  for (const ComparisonResult& comparison : record.verdict.comparisons) {
    comparisons.push_back(to_json(comparison));
  }
  return {{"kernel", bench.kernel->name},
          {"backend", bench.backend->name()},
          {"a", options.a},
          {"b", options.b},
          {"recipe", to_json(record.recipe_used)},
          {"status", name_of(record.verdict.status)},
          {"reason", record.verdict.reason},
          {"comparisons", comparisons},
          {"record", record.id}};
}

void print_comparison(const Terminal& terminal, const CompareOptions& options, const ComparisonResult& comparison,
                      int threads)
{
  terminal.out(fmt::format("{}: {} is {}, {} against {} ({} pairs on {}, {}){}", name_of(comparison.regime), options.a,
                           terminal.paint(Tone::strong, name_of(comparison.verdict)),
                           ratio_text(comparison.ratio, comparison.ci95), options.b, comparison.pair_ratios.size(),
                           threads_text(threads), comparison.rule,
                           comparison.reason.empty() ? "" : "; " + comparison.reason));
  terminal.out(fmt::format("  {} {}, {} {}", options.a, format_seconds(comparison.candidate.median), options.b,
                           format_seconds(comparison.incumbent.median)));
  if (comparison.candidate_preparation) {
    terminal.out("  " + preparation_text("weights of " + options.a, *comparison.candidate_preparation));
  }
  if (comparison.incumbent_preparation) {
    terminal.out("  " + preparation_text("weights of " + options.b, *comparison.incumbent_preparation));
  }
}

Result<Exit> compare(Context& context, const CompareOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(Workflow workflow, open_workflow(bench, executor->gate().device()));
  Job job;
  job.kind = Job::Kind::judge;
  HONE_TRY(job.contender, contender_named(bench, &workflow, options.a));
  HONE_TRY(job.incumbent, contender_named(bench, &workflow, options.b));
  job.recipe = bench.recipe;
  job.both_regimes = true;
  context.terminal.status("comparing ...");
  HONE_TRY(const Record record, executor->run(job));
  context.terminal.clear_status();
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  HONE_CHECK(workflow.append(record));
  if (record.verdict.status != Status::correct) {
    context.terminal.out(verdict_text(record.verdict));
  }
  for (const ComparisonResult& comparison : record.verdict.comparisons) {
    print_comparison(context.terminal, options, comparison, record.recipe_used.threads);
  }
  context.print_json(compare_json(bench, options, record));
  return record.verdict.status == Status::correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_compare(CommandLine& line)
{
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = line.add("compare", "Compare two checkpoints or candidate folders: FAST, SLOW, SAME or AMBG",
                               {"hone compare best start --kernel kernels/matmul",
                                "hone compare ./mine best --kernel kernels/matmul --regime hot"},
                               [options](Context& context) { return compare(context, *options); });
  command->add_option("A", options->a, "checkpoint (id, prefix, branch, best, start) or candidate folder")->required();
  command->add_option("B", options->b, "what A is compared with")->required();
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
