// hone compare: two checkpoints or candidate folders, side by side under one recipe.
#include "cli/explanation_text.h"
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct CompareOptions {
  KernelOptions kernel;
  std::string a, b;
  bool explain = false;
};

constexpr std::string_view k_libraries = "libraries"; // all of them, in each setting

// What A is compared with, and what that is called in the answer.
struct Rival {
  std::string name;
  Contender contender;
};

// A checkpoint or a candidate folder; or a library in each of its settings, of which one is the strongest here.
Result<std::vector<Rival>> rivals_named(const Workbench& bench, Workflow& workflow, const std::string& name)
{
  std::vector<Rival> rivals;
  for (const Baseline& baseline : baselines_for(*bench.kernel, *bench.backend)) {
    if (name == k_libraries || name == baseline.name) {
      rivals.push_back(
        {fmt::format("{} ({})", baseline.name, baseline.setting), Contender{{}, {}, baseline.name, baseline.setting}});
    }
  }
  if (rivals.empty() && name == k_libraries) {
    return fail(fmt::format("no library on this machine computes {}", bench.kernel->name),
                "`hone doctor` says which libraries are there; products of f32 and f64 have some");
  }
  if (rivals.empty()) {
    HONE_TRY(Contender contender, contender_named(bench, &workflow, name));
    rivals.push_back({name, std::move(contender)});
  }
  return rivals;
}

// A against a copy of itself, by regime: how far apart two of the same come out here, now.
using Bands = std::map<Regime, ComparisonResult>;

std::optional<ComparisonResult> band_in(const Bands& bands, Regime regime)
{
  const auto found = bands.find(regime);
  return found == bands.end() ? std::nullopt : std::optional(found->second);
}

Json band_json(const ComparisonResult& band)
{
  return {{"verdict", name_of(band.verdict)},
          {"ratio", band.ratio},
          {"ci95", interval_json(band.ci95)},
          {"pair_ratios", band.pair_ratios}};
}

Json compare_json(const Workbench& bench, const CompareOptions& options, const Rival& rival, const Record& record,
                  const Bands& bands)
{
  Json comparisons = Json::array();
  for (const ComparisonResult& comparison : record.verdict.comparisons) {
    Json json = to_json(comparison);
    if (const auto band = band_in(bands, comparison.regime)) {
      json["explanation"]["band"] = band_json(*band);
    }
    comparisons.push_back(std::move(json));
  }
  return {{"kernel", bench.kernel->name},
          {"backend", bench.backend->name()},
          {"a", options.a},
          {"b", rival.name},
          {"recipe", to_json(record.recipe_used)},
          {"status", name_of(record.verdict.status)},
          {"reason", record.verdict.reason},
          {"comparisons", comparisons},
          {"record", record.id}};
}

void print_comparison(const Terminal& terminal, const std::string& a, const std::string& b,
                      const ComparisonResult& comparison, int threads)
{
  terminal.out(fmt::format("{}: {} is {}, {} against {} ({} pairs on {}, {}){}", name_of(comparison.regime), a,
                           terminal.paint(Tone::strong, name_of(comparison.verdict)),
                           ratio_text(comparison.ratio, comparison.ci95), b, comparison.pair_ratios.size(),
                           threads_text(threads), comparison.rule,
                           comparison.reason.empty() ? "" : "; " + comparison.reason));
  terminal.out(fmt::format("  {} {}, {} {}", a, format_seconds(comparison.candidate.median), b,
                           format_seconds(comparison.incumbent.median)));
  if (comparison.candidate_preparation) {
    terminal.out("  " + preparation_text("weights of " + a, *comparison.candidate_preparation));
  }
  if (comparison.incumbent_preparation) {
    terminal.out("  " + preparation_text("weights of " + b, *comparison.incumbent_preparation));
  }
}

Result<Record> judge(const Workbench& bench, LocalExecutor& executor, const Contender& contender,
                     const Contender& incumbent)
{
  Job job;
  job.kind = Job::Kind::judge;
  job.contender = contender;
  job.incumbent = incumbent;
  job.recipe = bench.recipe;
  job.depth = Depth::promote;
  job.both_regimes = true;
  return executor.run(job);
}

// Only those regimes that the comparison has, in which A must have been correct.
Result<void> measure_bands(const Workbench& bench, LocalExecutor& executor, Workflow& workflow,
                           const Contender& contender, const Verdict& verdict, Bands& bands)
{
  for (const ComparisonResult& comparison : verdict.comparisons) {
    if (bands.contains(comparison.regime)) {
      continue;
    }
    Job job;
    job.kind = Job::Kind::compare;
    job.contender = contender;
    job.incumbent = contender;
    job.recipe = bench.recipe;
    job.recipe.regime = comparison.regime;
    HONE_TRY(const Record record, executor.run(job));
    HONE_CHECK(workflow.append(record));
    bands.emplace(comparison.regime, record.verdict.comparisons.front());
  }
  return {};
}

void print_explanation(const Terminal& terminal, const CompareOptions& options, const Rival& rival,
                       const ComparisonResult& comparison, const Bands& bands)
{
  for (const std::string& line :
       explanation_lines(comparison, options.a, rival.name, band_in(bands, comparison.regime))) {
    terminal.out(line);
  }
}

Result<Exit> compare(Context& context, const CompareOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(Workflow workflow, open_workflow(bench, executor->gate().device(), context));
  HONE_TRY(const Contender contender, contender_named(bench, &workflow, options.a));
  HONE_TRY(const std::vector<Rival> rivals, rivals_named(bench, workflow, options.b));
  Json answers = Json::array();
  bool correct = true;
  Bands bands;
  for (const Rival& rival : rivals) {
    context.terminal.status(fmt::format("comparing with {} ...", rival.name));
    HONE_TRY(const Record record, judge(bench, *executor, contender, rival.contender));
    context.terminal.clear_status();
    if (context.stop.stop_requested()) {
      return Exit::interrupted;
    }
    HONE_CHECK(workflow.append(record));
    if (record.verdict.status != Status::correct) {
      context.terminal.out(verdict_text(record.verdict));
      correct = false;
    }
    Result<void> banded;
    if (options.explain) {
      context.terminal.status(fmt::format("comparing {} with a copy of itself ...", options.a));
      banded = measure_bands(bench, *executor, workflow, contender, record.verdict, bands);
      context.terminal.clear_status();
    }
    for (const ComparisonResult& comparison : record.verdict.comparisons) {
      print_comparison(context.terminal, options.a, rival.name, comparison, record.recipe_used.threads);
      if (options.explain) {
        print_explanation(context.terminal, options, rival, comparison, bands);
      }
    }
    HONE_CHECK(std::move(banded)); // after the answer, which does not need it
    answers.push_back(compare_json(bench, options, rival, record, bands));
  }
  const bool single = rivals.size() == 1 && rivals.front().name == options.b;
  context.print_json(single ? answers.front() : Json{{"kernel", bench.kernel->name}, {"against", answers}});
  return correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_compare(CommandLine& line)
{
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = line.add(
    "compare", "Compare two checkpoints or candidate folders, or one with the libraries: FAST, SLOW, SAME or AMBG",
    {"hone compare best start --kernel kernels/matmul", "hone compare ./mine best --kernel kernels/matmul --regime hot",
     "hone compare best libraries --kernel kernels/matmul",
     "hone compare best start --kernel kernels/matmul --explain"},
    [options](Context& context) { return compare(context, *options); });
  command->add_option("A", options->a, "checkpoint (id, prefix, branch, best, start) or candidate folder")->required();
  command
    ->add_option("B", options->b,
                 "what A is compared with: the same, a library (onednn, openblas, blis) in each setting, or libraries")
    ->required();
  command->add_flag(
    "--explain", options->explain,
    "say how each verdict came about: pairs, limits, what disturbed them; A against a copy of itself, too");
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
