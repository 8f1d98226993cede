// hone optimize and hone resume: the whole climb, from the naive candidate to the report.
#include "app/climb_plan.h"
#include "app/headline.h"
#include "cli/called_as.h"
#include "cli/format.h"
#include "cli/kernel_options.h"
#include "cli/model_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

// With what chose the workflow.
std::string resume_command(const Context& context, const ClimbRequest& request, const ClimbResult& result)
{
  std::vector<std::string> words{"resume", result.kernel_folder.string()};
  for (const std::string& sizes : request.kernel.sizes) {
    words.insert(words.end(), {"--size", sizes});
  }
  for (const char* name : {"state", "backend", "regime", "threads"}) {
    if (context.settings.is_from_flag(name)) {
      words.insert(words.end(), {std::string("--") + name, context.settings.text(name)});
    }
  }
  return command_to_paste(words);
}

// The sentence first, the ratio over a naive start last: it says more about the start than about the result.
void print_result(const Context& context, const ClimbRequest& request, const ClimbResult& result)
{
  const Terminal& terminal = context.terminal;
  const record::Verdict best = best_verdict(result);
  const auto time = deciding_time(best, result.recipe.regime);
  if (const std::string sentence = headline(result); !sentence.empty()) {
    terminal.out("\n" + terminal.paint(Tone::strong, sentence));
  }
  if (time && time->median > 0) {
    std::vector<std::string> times;
    for (const auto& [regime, estimate] : {std::pair{"cold", &best.cold}, std::pair{"hot", &best.hot}}) {
      if (*estimate) {
        times.push_back(fmt::format("{} {}", time_text(*estimate), regime));
      }
    }
    terminal.out(fmt::format("per call {}, on {}", join(times, ", "), threads_text(result.recipe.threads)));
    if (const std::string roof = roof_text(result.scale, time->median); !roof.empty()) {
      terminal.out(roof);
    }
  }
  if (const auto preparation = best.preparation()) {
    terminal.out(preparation_text("weights", *preparation));
  }
  const policy::BaselineResult* best_one = best_library(result); // stands in the first sentence, like plain loops
  for (const policy::BaselineResult& baseline : result.baselines) {
    if (&baseline != best_one && baseline.baseline.name != policy::k_plain_loops) {
      terminal.out(
        fmt::format("  {} the speed of {}", ratio_text(baseline.comparison.ratio, baseline.comparison.ci95),
                    library_text(baseline.baseline.name, baseline.baseline.setting, result.library_versions)));
    }
  }
  if (!result.left_out.empty()) {
    terminal.out(fmt::format("  not compared in this budget: {}; {}", join(result.left_out, ", "),
                             command_to_paste(std::vector<std::string>{"compare", "best", "libraries", "--kernel",
                                                                       result.kernel_folder.string()})));
  }
  if (const record::ComparisonResult* band = deciding_comparison(result.band_record)) {
    terminal.out(fmt::format("  a copy of itself measured the same way: {}", ratio_text(band->ratio, band->ci95)));
  }
  if (const std::string gain = gain_over_start(result); !gain.empty()) {
    terminal.out("  " + gain);
  }
  if (const record::ComparisonResult* gain = deciding_comparison(result.final_record);
      gain != nullptr && !gain->by_size.empty()) {
    terminal.out(aligned_table(by_size_table(*gain)));
  }
  if (result.sweep) {
    terminal.out("\n" + aligned_table(sweep_table(*result.sweep)) + "\n" + sweep_summary(*result.sweep));
  }
  if (result.accuracy != "elementwise") {
    terminal.out("accuracy: " + result.accuracy);
  }
  if (is_busy(result.scale)) {
    terminal.out(terminal.paint(
      Tone::warning, fmt::format("the machine was {}: figures are uncertain; `{}` measures again later, and "
                                 "--wait-for-quiet SECONDS lets a climb wait",
                                 load_text(result.scale),
                                 command_to_paste(std::vector<std::string>{"verify", result.kernel_folder.string()}))));
  }
  if (!result.note.empty()) {
    terminal.out(result.note);
  }
  terminal.out(fmt::format("best checkpoint {}; report: {}", short_id(result.best.id), result.report.string()));
  if (result.stopped) {
    terminal.out("stopped before its end; go on with: " + resume_command(context, request, result));
  }
}

Result<Exit> show_plan(Context& context, const ClimbRequest& request)
{
  HONE_TRY(const ClimbPlan plan, plan_climb(context, request));
  const Terminal& terminal = context.terminal;
  terminal.out(
    fmt::format("kernel     {}\nsizes      {}\nbackend    {}, {}, {} regime decides\npolicy     {}, steps by {}\n"
                "budget     {} s of wall time\nworkflow   in {}",
                plan.kernel, record::sizes_text(plan.recipe), plan.backend, threads_text(plan.recipe.threads),
                record::name_of(plan.recipe.regime), plan.policy,
                plan.engine == "builtin" ? "the built-in engine" : plan.engine, plan.budget_s, plan.state.string()));
  terminal.out(fmt::format("libraries  {}", plan.libraries.empty() ? "none" : join(plan.libraries, ", ")));
  terminal.out(plan.steps.in_order ? "steps, in this order:" : "steps, in the order that measurements say:");
  for (const policy::PlannedStep& step : plan.steps.steps) {
    const std::string text = step.remark.empty() ? step.name : fmt::format("{} ({})", step.name, step.remark);
    terminal.out("  " + terminal.paint(step.applies ? Tone::plain : Tone::faint, text));
  }
  terminal.out("nothing was built or measured");
  context.print_json(to_json(plan));
  return Exit::ok;
}

Result<Exit> optimize(Context& context, const ClimbRequest& request, bool resume)
{
  HONE_TRY(const ClimbResult result, resume ? resume_climb(context, request) : climb(context, request));
  context.terminal.clear_status();
  print_result(context, request, result);
  context.print_json(to_json(result));
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

void add_climb(CommandLine& line, const std::string& name, const std::string& summary,
               const std::vector<std::string>& examples, bool resume)
{
  auto options = std::make_shared<ClimbRequest>();
  auto dry_run = std::make_shared<bool>(false);
  CLI::App* command = line.add(name, summary, examples, [options, dry_run, resume](Context& context) {
    return *dry_run ? show_plan(context, *options) : optimize(context, *options, resume);
  });
  add_kernel_options(line, command, options->kernel);
  line.add_setting(command, "policy",
                   "sequence (a recipe's steps), greedy (looks ahead), beam (several at once), agent (a model works: "
                   "docs/agent.md) or blaster (by what was learned: docs/knowledge.md)");
  line.add_setting(command, "strategy", "how tuning parameters are searched; see hone tune --help");
  line.add_setting(command, "budget", "seconds of wall time for all of it, the libraries included (110)");
  line.add_setting(command, "max-minutes", "minutes of all its runs together, resumed ones too");
  line.add_setting(command, "max-device-seconds", "seconds of validating and measuring, likewise");
  add_model_options(line, command);
  line.add_setting(command, "max-calls", "actions that an agent may ask for (40)");
  line.add_setting(command, "agent-tools", "its performance tools: all, none, placebo, or names: explain,memory");
  line.add_setting(command, "call-form", "how it asks for actions: native (tool calls), text, or auto");
  line.add_setting(command, "knowledge", "base of the policy blaster: a file, or none for an empty one");
  line.add_setting(command, "choice", "how it chooses a step: weighted, softmax, ucb or greedy");
  line.add_setting(command, "trajectories", "its trajectories of a round, which take turns (3)");
  line.add_setting(command, "trajectory-steps", "steps of each (8)");
  line.add_setting(command, "learning", "on or off: whether it updates what it expects after each round");
  line.add_setting(command, "profiles", "on or off: whether it looks at what bounds a candidate");
  command->add_option("--sizes", options->sweep,
                      "at the end, the best against the start at many sizes: n=2^10..2^20, n=100..1000:100");
  command->add_option("--steps", options->steps, "recipe file for the sequence policy");
  if (!resume) {
    command->add_flag("--dry-run", *dry_run, "print kernel, sizes, backend, steps and budget, and do nothing");
    command->add_option("--from", options->from, "go on from this checkpoint: id, prefix, branch, best or start");
    command->add_option("--branch", options->branch, "go on from this branch and move it along; new with --from");
  }
  command
    ->add_option("--wait-for-quiet", options->wait_for_quiet_s,
                 "wait so many seconds at most for other programs to leave the CPUs alone, before the budget begins")
    ->check(CLI::PositiveNumber);
  command->add_flag("--no-baselines", options->no_baselines, "do not measure the vendor libraries");
}

} // namespace

void add_optimize(CommandLine& line)
{
  add_climb(line, "optimize", "Take a kernel from its naive form up the climb",
            {"hone optimize kernels/matmul", "hone optimize kernels/matmul --size m=512,n=512,k=512 --policy greedy",
             "hone optimize kernels/matmul --branch wide-tiles --from start --steps my-steps.toml",
             "hone optimize matmul --state /tmp/state --json > result.json"},
            false);
  add_climb(line, "resume", "Go on with an optimisation that was stopped or killed", {"hone resume kernels/matmul"},
            true);
}

} // namespace hone::cli
