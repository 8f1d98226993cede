// hone verify: checkpoints of a workflow through the gate again, on this machine, now.
#include "cli/format.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct VerifyOptions {
  KernelOptions kernel;
  std::string checkpoint;
};

Result<std::vector<Checkpoint>> chosen_checkpoints(const Workflow& workflow, const std::string& name)
{
  if (name.empty()) {
    return workflow.checkpoints();
  }
  HONE_TRY(Checkpoint one, workflow.find(name));
  return std::vector<Checkpoint>{std::move(one)};
}

// The claim a checkpoint makes is its verdict against its parent; it holds when the gate says the same direction again.
Result<Record> judge_again(LocalExecutor& executor, const Workflow& workflow, const Checkpoint& checkpoint)
{
  Job job;
  job.kind = Job::Kind::validate;
  job.contender = {checkpoint.candidate, checkpoint.point, {}, {}};
  job.recipe = checkpoint.record.recipe_used;
  job.depth = Depth::promote;
  if (!checkpoint.parent.empty()) {
    if (const auto parent = workflow.find(checkpoint.parent)) { // of a damaged one, nothing can be faster any more
      job.kind = Job::Kind::judge;
      job.incumbent = Contender{parent->candidate, parent->point, {}, {}};
    }
  }
  return executor.run(job);
}

bool holds(const Record& then, const Record& now)
{
  if (now.verdict.status != Status::correct) {
    return false;
  }
  if (then.verdict.comparisons.empty() || now.verdict.comparisons.empty()) {
    return true;
  }
  const bool was_fast = then.verdict.comparisons.front().verdict == Comparison::fast;
  return !was_fast || now.verdict.comparisons.front().verdict == Comparison::fast;
}

Result<Exit> verify(Context& context, const VerifyOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(const std::vector<Checkpoint> checkpoints, chosen_checkpoints(workflow, options.checkpoint));
  bool all_hold = true;
  Json list = Json::array();
  for (const Checkpoint& checkpoint : checkpoints) {
    context.terminal.status(fmt::format("verifying {} ...", checkpoint.transformation));
    HONE_TRY(const Record now, judge_again(*executor, workflow, checkpoint));
    if (context.stop.stop_requested()) {
      return Exit::interrupted;
    }
    const bool good = holds(checkpoint.record, now);
    all_hold = all_hold && good;
    context.terminal.clear_status();
    context.terminal.out(fmt::format("{} {} {}: then {}; now {}",
                                     context.terminal.paint(good ? Tone::good : Tone::bad, good ? "holds" : "DIFFERS"),
                                     short_id(checkpoint.id), checkpoint.transformation,
                                     verdict_text(checkpoint.record.verdict), verdict_text(now.verdict)));
    list.push_back({{"checkpoint", checkpoint.id},
                    {"transformation", checkpoint.transformation},
                    {"holds", good},
                    {"then", to_json(checkpoint.record.verdict)},
                    {"now", to_json(now.verdict)}});
  }
  context.print_json({{"kernel", bench.kernel->name}, {"holds", all_hold}, {"checkpoints", list}});
  return all_hold ? Exit::ok : Exit::negative;
}

} // namespace

void add_verify(CommandLine& line)
{
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = line.add("verify", "Put a workflow's checkpoints through the gate again",
                               {"hone verify kernels/matmul", "hone verify kernels/matmul best"},
                               [options](Context& context) { return verify(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "only this one: id, prefix, branch, best or start");
}

} // namespace hone::cli
