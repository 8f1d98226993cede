#include "app/history.h"

#include "app/figures.h"
#include "app/result_json.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

// The generated naive candidate is at hand without a workflow: to write one's own from it.
Result<store::Checkpoint> checkpoint_to_write(const Workbench& bench, const std::string& name)
{
  if (name == "naive") {
    HONE_TRY(record::Contender contender, naive_contender(bench));
    store::Checkpoint naive;
    naive.id = name;
    naive.candidate = std::move(contender.candidate);
    naive.point = std::move(contender.point);
    return naive;
  }
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  return workflow.find(name);
}

} // namespace

Result<WorkflowLog> workflow_log(const Context& context, const KernelRequest& kernel, bool all)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  WorkflowLog log;
  log.kernel = bench.kernel->name;
  log.workflow = workflow.folder();
  HONE_TRY(log.steps, workflow.steps());
  HONE_TRY(const auto best, workflow.best());
  log.best = best ? best->id : "";
  HONE_TRY(log.branches, workflow.branches());
  if (!all) {
    log.left_out = std::erase_if(log.steps, [](const store::Step& step) { return step.checkpoint.empty(); });
  }
  return log;
}

Result<store::Checkpoint> show_checkpoint(const Context& context, const KernelRequest& kernel, const std::string& name)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  return workflow.find(name);
}

Result<CheckpointDiff> diff_checkpoints(const Context& context, const KernelRequest& kernel, const std::string& from,
                                        const std::string& to)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const std::string text, workflow.diff(from, to));
  return CheckpointDiff{from, to, text};
}

Result<CheckedOut> check_out(const Context& context, const KernelRequest& kernel, const std::string& name,
                             const std::string& folder)
{
  HONE_TRY(const Workbench bench, open_workbench(context, kernel));
  CheckedOut out;
  out.kernel = bench.kernel->name;
  out.backend = bench.backend->name();
  out.kernel_folder = bench.kernel->folder;
  HONE_TRY(out.checkpoint, checkpoint_to_write(bench, name));
  out.folder = folder.empty() ? fmt::format("{}-{}", out.kernel, short_id(out.checkpoint.id)) : folder;
  std::error_code error;
  if (fs::exists(out.folder, error) && !fs::is_empty(out.folder, error)) {
    return fail(fmt::format("'{}' exists and is not empty", out.folder.string()), "choose another folder with --out",
                Place{"--out", 0, 0});
  }
  HONE_CHECK(kernel::save_candidate(out.checkpoint.candidate, out.folder));
  return out;
}

Json to_json(const WorkflowLog& log)
{
  Json steps = Json::array();
  for (const store::Step& step : log.steps) {
    steps.push_back(
      {{"number", step.number}, {"checkpoint", step.checkpoint}, {"record", record::to_json(step.record)}});
  }
  return {{"kernel", log.kernel},
          {"workflow", log.workflow.string()},
          {"best", log.best},
          {"branches", log.branches},
          {"steps", steps}};
}

Json to_json(const store::Checkpoint& checkpoint)
{
  return {{"checkpoint", checkpoint.id},
          {"parent", checkpoint.parent},
          {"transformation", checkpoint.transformation},
          {"point", point_json(checkpoint.point)},
          {"record", record::to_json(checkpoint.record)},
          {"files", checkpoint.candidate.files}};
}

Json to_json(const CheckpointDiff& diff)
{
  return {{"from", diff.from}, {"to", diff.to}, {"diff", diff.diff}};
}

Json to_json(const CheckedOut& out)
{
  return {
    {"checkpoint", out.checkpoint.id}, {"folder", out.folder.string()}, {"point", point_json(out.checkpoint.point)}};
}

} // namespace hone::app
