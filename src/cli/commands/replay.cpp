// hone replay: the path to a checkpoint carried out again, here.
#include "policy/replay.h"

#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct ReplayOptions {
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::string from; // a state folder of another machine
  bool dry_run = false;
};

// What a person may give: a state folder, one workflow's folder in it, or a kernel folder with .hone inside.
struct Store {
  fs::path state;
  fs::path only; // this workflow; empty: any
};

Store store_at(const fs::path& given)
{
  std::error_code ignored;
  if (fs::exists(given / "key.json", ignored)) {
    return {given.parent_path().empty() ? fs::path(".") : given.parent_path(), given};
  }
  return {fs::is_directory(given / ".hone", ignored) ? given / ".hone" : given, {}};
}

Result<Workflow> open_foreign(const Workbench& bench, const std::string& given)
{
  const fs::path folder = fs::path(given).lexically_normal();
  const Store store = store_at(folder.has_filename() ? folder : folder.parent_path());
  HONE_TRY(const std::vector<Workflow::Key> keys, Workflow::list(store.state));
  std::vector<Workflow> found;
  for (const Workflow::Key& key : keys) {
    if (key.kernel_hash != bench.kernel->hash || key.backend != bench.backend->name()) {
      continue;
    }
    HONE_TRY(Workflow workflow, Workflow::open_to_read(store.state, *bench.kernel, key));
    std::error_code ignored;
    if (store.only.empty() || fs::equivalent(store.only, workflow.folder(), ignored)) {
      found.push_back(std::move(workflow));
    }
  }
  if (found.empty()) {
    return fail(fmt::format("there is no workflow of kernel '{}' on {} under '{}'", bench.kernel->name,
                            bench.backend->name(), given),
                keys.empty() ? "give the folder that holds the workflows, usually KERNEL/.hone"
                             : "the workflows there are of another kernel, another kernel.toml or another --backend",
                Place{"--from", 0, 0});
  }
  if (found.size() > 1) {
    std::vector<std::string> folders;
    for (const Workflow& workflow : found) {
      folders.push_back(workflow.folder().string());
    }
    return fail(fmt::format("'{}' holds workflows of several devices", given),
                "give one of them: --from " + join(folders, ", --from "), Place{"--from", 0, 0});
  }
  return std::move(found.front());
}

Result<std::vector<Checkpoint>> recorded_path(const Workbench& bench, const ReplayOptions& options)
{
  HONE_TRY(const Workflow workflow,
           options.from.empty() ? open_existing_workflow(bench) : open_foreign(bench, options.from));
  HONE_TRY(const Checkpoint last, workflow.find(options.checkpoint));
  HONE_TRY(const std::vector<std::string> ids, workflow.path_to(last.id));
  std::vector<Checkpoint> path;
  for (const std::string& id : ids) {
    HONE_TRY(Checkpoint checkpoint, workflow.find(id));
    path.push_back(std::move(checkpoint));
  }
  return path;
}

// The comparison with the step before; none for the start, which is measured against a copy of itself.
const ComparisonResult* comparison_of(const Record& record)
{
  const bool judged = record.kind == Job::Kind::judge && !record.verdict.comparisons.empty();
  return judged ? &record.verdict.comparisons.front() : nullptr;
}

// "FAST 3.42x [3.40, 3.44]"; of the start, its time.
std::string figure_text(const Record& record)
{
  const Verdict& verdict = record.verdict;
  if (verdict.status != Status::correct) {
    return fmt::format("{}: {}", name_of(verdict.status), verdict.reason);
  }
  const ComparisonResult* comparison = comparison_of(record);
  if (comparison == nullptr) {
    return time_text(verdict.cold ? verdict.cold : verdict.hot);
  }
  return fmt::format("{} {}", name_of(comparison->verdict), ratio_text(comparison->ratio, comparison->ci95));
}

bool agrees(const ReplayedStep& step)
{
  const ComparisonResult* here = comparison_of(step.here);
  const ComparisonResult* then = comparison_of(step.recorded.record);
  return step.here.verdict.status == Status::correct
         && (here == nullptr || then == nullptr || here->verdict == then->verdict);
}

double ratio_of(const Record& record)
{
  const ComparisonResult* comparison = comparison_of(record);
  return comparison == nullptr ? 1 : comparison->ratio;
}

Json step_json(const ReplayedStep& step)
{
  return {{"transformation", step.recorded.transformation},
          {"recorded", step.recorded.id},
          {"checkpoint", step.checkpoint},
          {"agrees", agrees(step)},
          {"then", to_json(step.recorded.record.verdict)},
          {"now", to_json(step.here.verdict)}};
}

void print_table(const Terminal& terminal, const std::vector<ReplayedStep>& steps)
{
  std::vector<std::vector<std::string>> rows{{"step", "recorded", "here", "", "checkpoint here"}};
  double then = 1;
  double now = 1;
  for (const ReplayedStep& step : steps) {
    then *= ratio_of(step.recorded.record);
    now *= ratio_of(step.here);
    rows.push_back({step.recorded.transformation, figure_text(step.recorded.record), figure_text(step.here),
                    agrees(step) ? "agrees" : "DIFFERS", step.checkpoint.empty() ? "-" : short_id(step.checkpoint)});
  }
  rows.push_back({"product of the steps", ratio_text(then), ratio_text(now), "", ""});
  terminal.out(aligned_table(rows));
}

Result<std::vector<ReplayedStep>> carry_out(Context& context, const Workbench& bench, const ReplayOptions& options)
{
  ReplayRequest request;
  HONE_TRY(request.path, recorded_path(bench, options));
  if (!options.kernel.sizes.empty()) {
    request.sizes = bench.recipe.sizes;
  }
  if (context.settings.is_from_flag("regime")) {
    request.regime = bench.recipe.regime;
  }
  request.stop = context.stop;
  request.before = [&](const Checkpoint& step) {
    context.terminal.status(fmt::format("{} through the gate ...", step.transformation));
  };
  HONE_TRY(const auto executor, open_executor(bench, context));
  std::optional<Workflow> workflow;
  if (!options.dry_run) {
    HONE_TRY(Workflow opened, open_workflow(bench, executor->gate().device(), context));
    workflow.emplace(std::move(opened));
  }
  return replay(*bench.kernel, *executor, workflow ? &*workflow : nullptr, request);
}

Result<Exit> replay_path(Context& context, const ReplayOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const std::vector<ReplayedStep> steps, carry_out(context, bench, options));
  context.terminal.clear_status();
  print_table(context.terminal, steps);
  Json list = Json::array();
  bool right = true;
  for (const ReplayedStep& step : steps) {
    right = right && step.here.verdict.status == Status::correct;
    list.push_back(step_json(step));
    if (step.here.verdict.status != Status::correct) {
      context.terminal.out(fmt::format("{} is not right here; the steps after it build on it and were not tried\n{}",
                                       step.recorded.transformation,
                                       evidence_text(context.terminal, step.here.verdict)));
    }
  }
  context.print_json({{"kernel", bench.kernel->name},
                      {"backend", bench.backend->name()},
                      {"kept", !options.dry_run},
                      {"correct", right},
                      {"stopped", context.stop.stop_requested()},
                      {"steps", list}});
  if (context.stop.stop_requested()) {
    return Exit::interrupted;
  }
  return right ? Exit::ok : Exit::negative;
}

} // namespace

void add_replay(CommandLine& line)
{
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
    line.add("replay", "Carry the recorded path to a checkpoint out again on this machine",
             {"hone replay kernels/matmul best --dry-run          # recorded ratios beside those measured now",
              "hone replay kernels/matmul --from /mnt/other/.hone  # what another machine found, judged here",
              "hone replay kernels/matmul best --size m=512        # the same steps at other sizes"},
             [options](Context& context) { return replay_path(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "where the path ends: id, prefix, branch, best or start");
  command->add_option("--from", options->from, "take the path from this state folder (another machine's KERNEL/.hone)");
  command->add_flag("--dry-run", options->dry_run, "only show; make no checkpoints");
}

} // namespace hone::cli
