// hone log | show | diff | checkout: what a workflow holds.
#include "cli/format.h"
#include "cli/workbench.h"
#include "lower/lower.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct HistoryOptions {
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::string from = "start", to = "best";
  std::string folder;
  bool all = false;
};

Json step_json(const Step& step)
{
  return {{"number", step.number}, {"checkpoint", step.checkpoint}, {"record", to_json(step.record)}};
}

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

std::vector<std::string> step_row(const Step& step, const std::string& best,
                                  const std::map<std::string, std::string>& branches)
{
  const Record& record = step.record;
  const std::string what = !record.transformation.empty() ? record.transformation
                           : !record.baseline.empty()     ? "baseline " + record.baseline
                                                          : "job";
  const std::string mark = step.checkpoint.empty() ? "" : step.checkpoint == best ? "* " : "  ";
  return {std::to_string(step.number),
          when_text(record.time_utc),
          step.checkpoint.empty() ? "-" : mark + short_id(step.checkpoint) + branches_at(branches, step.checkpoint),
          what,
          std::to_string(record.recipe_used.threads),
          time_text(record.verdict.cold ? record.verdict.cold : record.verdict.hot),
          verdict_text(record.verdict)};
}

Result<Exit> log(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  HONE_TRY(const std::vector<Step> steps, workflow.steps());
  HONE_TRY(const auto best, workflow.best());
  HONE_TRY(const auto branches, workflow.branches());
  const std::string best_id = best ? best->id : "";
  std::vector<std::vector<std::string>> rows{{"#", "when (UTC)", "checkpoint", "step", "threads", "time", "verdict"}};
  Json list = Json::array();
  for (const Step& step : steps) {
    if (options.all || !step.checkpoint.empty()) {
      rows.push_back(step_row(step, best_id, branches));
      list.push_back(step_json(step));
    }
  }
  context.terminal.out(aligned_table(rows));
  if (!options.all && steps.size() + 1 > rows.size()) {
    context.terminal.out(context.terminal.paint(
      Tone::faint, fmt::format("{} further jobs that became no checkpoint: --all", steps.size() + 1 - rows.size())));
  }
  context.print_json({{"kernel", bench.kernel->name},
                      {"workflow", workflow.folder().string()},
                      {"best", best_id},
                      {"branches", branches},
                      {"steps", list}});
  return Exit::ok;
}

Result<Exit> show(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const Checkpoint checkpoint, workflow.find(options.checkpoint));
  const Terminal& terminal = context.terminal;
  terminal.out(fmt::format("{} {} (parent {})", terminal.paint(Tone::strong, checkpoint.id), checkpoint.transformation,
                           checkpoint.parent.empty() ? "none" : short_id(checkpoint.parent)));
  terminal.out(verdict_text(checkpoint.record.verdict));
  const Recipe& recipe = checkpoint.record.recipe_used;
  terminal.out(
    fmt::format("{}, {}, {} regime", to_text(recipe.sizes), threads_text(recipe.threads), name_of(recipe.regime)));
  if (!checkpoint.point.empty()) {
    terminal.out(to_text(checkpoint.point));
  }
  terminal.out(evidence_text(terminal, checkpoint.record.verdict));
  Json files = Json::object();
  for (const auto& [name, text] : checkpoint.candidate.files) {
    terminal.out(fmt::format("\n{}\n{}", terminal.paint(Tone::strong, "--- " + name), text));
    files[name] = text;
  }
  context.print_json({{"checkpoint", checkpoint.id},
                      {"parent", checkpoint.parent},
                      {"transformation", checkpoint.transformation},
                      {"point", point_json(checkpoint.point)},
                      {"record", to_json(checkpoint.record)},
                      {"files", files}});
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
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const std::string text, workflow.diff(options.from, options.to));
  context.terminal.out(colored_diff(context.terminal, text));
  context.print_json({{"from", options.from}, {"to", options.to}, {"diff", text}});
  return Exit::ok;
}

// The generated naive candidate is at hand without a workflow: to write one's own from it.
Result<Checkpoint> checkpoint_to_write(const Workbench& bench, const std::string& name)
{
  if (name == "naive") {
    Checkpoint naive;
    HONE_TRY(naive.candidate, naive_candidate(*bench.kernel, bench.backend->dialect()));
    naive.id = name;
    naive.point = naive.candidate.plan.tuning.defaults();
    return naive;
  }
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  return workflow.find(name);
}

Result<Exit> checkout(Context& context, const HistoryOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Checkpoint checkpoint, checkpoint_to_write(bench, options.checkpoint));
  const fs::path folder = options.folder.empty()
                            ? fs::path(fmt::format("{}-{}", bench.kernel->name, short_id(checkpoint.id)))
                            : fs::path(options.folder);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return fail(fmt::format("'{}' exists and is not empty", folder.string()), "choose another folder with --out",
                Place{"--out", 0, 0});
  }
  HONE_CHECK(save_candidate(checkpoint.candidate, folder));
  const std::string backend = bench.backend->name() == "cpu" ? "" : fmt::format(" --backend {}", bench.backend->name());
  context.terminal.out(fmt::format("wrote {} to {}\nedit it, then: hone run {} --kernel {}{}", short_id(checkpoint.id),
                                   folder.string(), folder.string(), bench.kernel->folder.string(), backend));
  context.print_json(
    {{"checkpoint", checkpoint.id}, {"folder", folder.string()}, {"point", point_json(checkpoint.point)}});
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
