// hone compare: checkpoints or candidate folders, side by side under one recipe.
#include "app/compare.h"

#include "cli/explanation_text.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

void print_comparison(const Terminal& terminal, const std::string& a, const std::string& b,
                      const record::ComparisonResult& comparison, int threads)
{
  terminal.out(fmt::format("{}: {} is {}, {} against {} ({} pairs on {}, {}){}", record::name_of(comparison.regime), a,
                           terminal.paint(Tone::strong, record::name_of(comparison.verdict)),
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

void print_explanation(const Terminal& terminal, const std::string& a, const ComparedRival& rival,
                       const record::ComparisonResult& comparison)
{
  for (const std::string& line :
       explanation_lines(comparison, a, rival.name, band_in(rival.bands, comparison.regime))) {
    terminal.out(line);
  }
}

void print_rival(const Terminal& terminal, const CompareRequest& request, const ComparedRival& rival)
{
  const record::Record& record = rival.record;
  if (record.verdict.status != record::Status::correct) {
    terminal.out(verdict_text(record.verdict));
  } else if (const std::string accuracy = record::accuracy_of(record.verdict); !accuracy.empty()) {
    terminal.out("correct; accuracy " + accuracy);
  }
  for (const record::ComparisonResult& comparison : record.verdict.comparisons) {
    print_comparison(terminal, request.a, rival.library.empty() ? rival.name : rival.library, comparison,
                     record.recipe_used.threads);
    if (!comparison.by_size.empty()) {
      terminal.out(aligned_table(by_size_table(comparison)) + "\n  " + worst_size_text(comparison));
    }
    if (request.explain) {
      print_explanation(terminal, request.a, rival, comparison);
    }
  }
  if (rival.sweep) {
    terminal.out("\n" + aligned_table(sweep_table(*rival.sweep)) + "\n" + sweep_summary(*rival.sweep));
  }
}

void print_ranking(const Terminal& terminal, const CompareResult& result)
{
  for (const std::string& refused : result.refused) {
    terminal.out(terminal.paint(Tone::bad, "left out: " + refused));
  }
  if (result.ranking.empty()) {
    return;
  }
  std::vector<std::vector<std::string>> rows{{"rank", "speed over " + result.a, "name"}};
  for (std::size_t i = 0; i < result.ranking.size(); ++i) {
    const RankedContender& one = result.ranking[i];
    rows.push_back({std::to_string(i + 1), one.name == result.a ? "1" : ratio_text(one.speed, one.ci95), one.name});
  }
  terminal.out("\n" + aligned_table(rows));
  if (const std::string winner = winner_text(result); !winner.empty()) {
    terminal.out(terminal.paint(Tone::strong, winner));
  }
}

Result<Exit> compare_both(Context& context, const CompareRequest& request)
{
  HONE_TRY(const CompareResult result, compare(context, request, [&](const ComparedRival& rival) {
             print_rival(context.terminal, request, rival);
           }));
  if (result.stopped) {
    return Exit::interrupted;
  }
  print_ranking(context.terminal, result);
  context.print_json(to_json(result));
  return result.correct ? Exit::ok : Exit::negative;
}

} // namespace

void add_compare(CommandLine& line)
{
  auto options = std::make_shared<CompareRequest>();
  CLI::App* command = line.add(
    "compare",
    "Compare checkpoints or candidate folders, or one with the libraries: FAST, SLOW, SAME or AMBG; rank several",
    {"hone compare best start --kernel kernels/matmul", "hone compare best ./mine ./theirs --kernel kernels/matmul",
     "hone compare ./mine best --kernel kernels/matmul --regime hot",
     "hone compare best libraries --kernel kernels/matmul",
     "hone compare best start --kernel kernels/matmul --explain"},
    [options](Context& context) { return compare_both(context, *options); });
  command->add_option("A", options->a, "checkpoint (id, prefix, branch, best, start) or candidate folder")->required();
  command
    ->add_option(
      "B", options->others,
      "what A is compared with: the same, a library (onednn, openblas, blis, ...) in each setting, or libraries; "
      "with several, all are ranked")
    ->required();
  command->add_flag(
    "--explain", options->explain,
    "say how each verdict came about: pairs, limits, what disturbed them; A against a copy of itself, too");
  command->add_option("--sizes", options->sweep,
                      "compare at many sizes, too: n=2^10..2^20, n=100..1000:100, m=n=64..512,k=256");
  add_kernel_options(line, command, options->kernel, KernelGiven::by_flag);
}

} // namespace hone::cli
