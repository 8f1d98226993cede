// hone log | show | diff | checkout: what a workflow holds.
#include "app/history.h"

#include "cli/format.h"
#include "cli/kernel_options.h"
#include "policy/policy.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct HistoryOptions {
  KernelRequest kernel;
  std::string checkpoint = "best";
  std::string from = "start", to = "best";
  std::string folder;
  bool all = false;
};

// " (wide, deep)" for a checkpoint that branches name.
std::string branches_at(const std::map<std::string, std::string>& branches, const std::string& checkpoint)
{
  std::vector<std::string> names;
  for (const auto& [name, id] : branches) {
    if (id == checkpoint) {
      names.push_back(name);
    }
  }
  return names.empty() ? "" : fmt::format(" ({})", join(names, ", "));
}

std::vector<std::string> step_row(const store::Step& step, const std::string& best,
                                  const std::map<std::string, std::string>& branches)
{
  const record::Record& record = step.record;
  const std::string what = !record.transformation.empty() ? record.transformation
                           : !record.baseline.empty()     ? "baseline " + record.baseline
                                                          : "job";
  const bool is_start = record.transformation == policy::k_start_step;
  const bool correct = record.verdict.status == record::Status::correct;
  const std::string mark = step.checkpoint.empty() ? "" : step.checkpoint == best ? "* " : "  ";
  return {std::to_string(step.number),
          when_text(record.time_utc),
          step.checkpoint.empty() ? "-" : mark + short_id(step.checkpoint) + branches_at(branches, step.checkpoint),
          what,
          std::to_string(record.recipe_used.threads),
          time_text(record.verdict.cold ? record.verdict.cold : record.verdict.hot),
          is_start && correct ? "correct; the climb begins here" : verdict_text(record.verdict)};
}

Result<Exit> log(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const WorkflowLog log, workflow_log(context, options.kernel, options.all));
  std::vector<std::vector<std::string>> rows{{"#", "when (UTC)", "checkpoint", "step", "threads", "time", "verdict"}};
  for (const store::Step& step : log.steps) {
    rows.push_back(step_row(step, log.best, log.branches));
  }
  context.terminal.out(aligned_table(rows));
  if (log.left_out > 0) {
    context.terminal.out(context.terminal.paint(
      Tone::faint, fmt::format("{} further jobs that became no checkpoint: --all", log.left_out)));
  }
  context.print_json(to_json(log));
  return Exit::ok;
}

Result<Exit> show(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const store::Checkpoint checkpoint, show_checkpoint(context, options.kernel, options.checkpoint));
  const Terminal& terminal = context.terminal;
  terminal.out(fmt::format("{} {} (parent {})", terminal.paint(Tone::strong, checkpoint.id), checkpoint.transformation,
                           checkpoint.parent.empty() ? "none" : short_id(checkpoint.parent)));
  terminal.out(verdict_text(checkpoint.record.verdict));
  const record::Recipe& recipe = checkpoint.record.recipe_used;
  terminal.out(fmt::format("{}, {}, {} regime", kernel::to_text(recipe.sizes), threads_text(recipe.threads),
                           record::name_of(recipe.regime)));
  if (!checkpoint.point.empty()) {
    terminal.out(kernel::to_text(checkpoint.point));
  }
  terminal.out(evidence_text(terminal, checkpoint.record.verdict));
  for (const auto& [name, text] : checkpoint.candidate.files) {
    terminal.out(fmt::format("\n{}\n{}", terminal.paint(Tone::strong, "--- " + name), text));
  }
  context.print_json(to_json(checkpoint));
  return Exit::ok;
}

std::string colored_diff(const Terminal& terminal, const std::string& text)
{
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) {
    if (line.starts_with('+')) {
      line = terminal.paint(Tone::good, line);
    } else if (line.starts_with('-')) {
      line = terminal.paint(Tone::bad, line);
    } else if (line.starts_with("@@")) {
      line = terminal.paint(Tone::faint, line);
    }
  }
  return join(lines, "\n");
}

Result<Exit> diff(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const CheckpointDiff diff, diff_checkpoints(context, options.kernel, options.from, options.to));
  context.terminal.out(colored_diff(context.terminal, diff.diff));
  context.print_json(to_json(diff));
  return Exit::ok;
}

Result<Exit> checkout(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const CheckedOut out, check_out(context, options.kernel, options.checkpoint, options.folder));
  const std::string backend = out.backend == "cpu" ? "" : fmt::format(" --backend {}", out.backend);
  context.terminal.out(fmt::format("wrote {} to {}\nedit it, then: hone run {} --kernel {}{}",
                                   short_id(out.checkpoint.id), out.folder.string(), out.folder.string(),
                                   out.kernel_folder.string(), backend));
  context.print_json(to_json(out));
  return Exit::ok;
}

} // namespace

void add_history(CommandLine& line)
{
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* command = line.add("log", "List the checkpoints of a kernel's workflow", {"hone log kernels/matmul --all"},
                               [options](Context& context) { return log(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_flag("--all", options->all, "also jobs that became no checkpoint");

  command = line.add("show", "Show one checkpoint: its evidence and its files", {"hone show kernels/matmul best"},
                     [options](Context& context) { return show(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "id, prefix, branch, best or start");

  command = line.add("diff", "Show what changed between two checkpoints", {"hone diff kernels/matmul start best"},
                     [options](Context& context) { return diff(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("FROM", options->from, "checkpoint; default start");
  command->add_option("TO", options->to, "checkpoint; default best");

  command = line.add(
    "checkout", "Write a checkpoint's candidate into a folder",
    {"hone checkout kernels/matmul best --out mine", "hone checkout kernels/softmax naive --backend opencl --out mine"},
    [options](Context& context) { return checkout(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint,
                      "id, prefix, branch, best or start; naive: the generated candidate");
  command->add_option("--out", options->folder, "folder to write; default KERNEL-ID");
}

} // namespace hone::cli
