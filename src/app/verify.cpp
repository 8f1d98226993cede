#include "app/verify.h"

#include "app/agreement.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

Result<std::vector<store::Checkpoint>> chosen_checkpoints(const store::Workflow& workflow, const std::string& name)
{
  if (name.empty()) {
    return workflow.checkpoints();
  }
  HONE_TRY(store::Checkpoint one, workflow.find(name));
  return std::vector<store::Checkpoint>{std::move(one)};
}

// The claim a checkpoint makes is its comparison with its parent.
Result<record::Record> verify_once(execute::Executor& executor, const store::Workflow& workflow,
                                   const store::Checkpoint& checkpoint)
{
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender = {checkpoint.candidate, checkpoint.point, {}, {}};
  job.recipe = checkpoint.record.recipe_used;
  job.depth = record::Depth::promote;
  if (!checkpoint.parent.empty()) {
    if (const auto parent = workflow.find(checkpoint.parent)) { // of a damaged one, nothing can be faster any more
      job.kind = record::Job::Kind::judge;
      job.incumbent = record::Contender{parent->candidate, parent->point, {}, {}};
    }
  }
  return executor.run(job);
}

// Right, and as fast beside its parent as was claimed.
bool claim_holds(const record::Record& then, const record::Record& now)
{
  return now.verdict.status == record::Status::correct
         && (then.verdict.comparisons.empty() || now.verdict.comparisons.empty()
             || holds(then.verdict.comparisons.front(), now.verdict.comparisons.front()));
}

} // namespace

Result<VerifyResult> verify(Context& context, const VerifyRequest& request,
                            const std::function<void(const VerifiedCheckpoint&)>& each)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  warn_of_damage(context, workflow);
  HONE_TRY(const auto executor, open_executor(bench, context));
  HONE_TRY(const std::vector<store::Checkpoint> checkpoints, chosen_checkpoints(workflow, request.checkpoint));
  VerifyResult result;
  result.kernel = bench.kernel->name;
  for (const store::Checkpoint& checkpoint : checkpoints) {
    context.observer->status(fmt::format("verifying {} ...", checkpoint.transformation));
    HONE_TRY(record::Record now, verify_once(*executor, workflow, checkpoint));
    context.observer->clear_status();
    if (context.stop.stop_requested()) {
      result.stopped = true;
      break;
    }
    const bool good = claim_holds(checkpoint.record, now);
    result.holds = result.holds && good;
    result.checkpoints.push_back({checkpoint, std::move(now), good});
    each(result.checkpoints.back());
  }
  return result;
}

Json to_json(const VerifyResult& result)
{
  Json list = Json::array();
  for (const VerifiedCheckpoint& verified : result.checkpoints) {
    list.push_back({{"checkpoint", verified.checkpoint.id},
                    {"transformation", verified.checkpoint.transformation},
                    {"holds", verified.holds},
                    {"then", record::to_json(verified.checkpoint.record.verdict)},
                    {"now", record::to_json(verified.now.verdict)}});
  }
  return {{"kernel", result.kernel}, {"holds", result.holds}, {"checkpoints", list}};
}

} // namespace hone::app
