#include "policy/replay.h"

#include "policy/judgement.h"
#include "policy/spent.h"

#include <fmt/format.h>

namespace hone::policy {

namespace {

// Files that do not belong to their record would be judged under its name.
Result<void> check_intact(const store::Checkpoint& checkpoint)
{
  if (checkpoint.candidate.hash() != checkpoint.record.candidate) {
    return fail(fmt::format("the files of checkpoint {} are not those its record was made for", checkpoint.id),
                "the store was changed by something else than Hone; take it from where it came from again");
  }
  return {};
}

record::Job job_of(const ReplayRequest& request, const store::Checkpoint& step, const store::Checkpoint* before)
{
  record::Job job;
  job.kind = before == nullptr ? record::Job::Kind::measure : record::Job::Kind::judge;
  job.contender = {step.candidate, step.point, {}, {}};
  if (before != nullptr) {
    job.incumbent = record::Contender{before->candidate, before->point, {}, {}};
  }
  job.recipe = step.record.recipe_used;
  job.recipe.protocol = record::k_protocol_version;
  if (!request.sizes.empty()) {
    job.recipe.sizes = request.sizes;
  }
  job.recipe.regime = request.regime.value_or(job.recipe.regime);
  job.depth = record::Depth::promote;
  job.transformation = step.transformation;
  job.engine = k_recorded_engine;
  return job;
}

// Keeps what was judged; the id of the checkpoint, or "".
Result<std::string> add_checkpoint(const kernel::Kernel& kernel, store::Workflow& workflow,
                                   const kernel::Candidate& candidate, const record::Record& record)
{
  HONE_CHECK(workflow.append(record));
  HONE_CHECK(book_time(workflow, record.verdict));
  if (record.verdict.status != record::Status::correct) {
    return std::string();
  }
  HONE_TRY(const store::Checkpoint made, workflow.add_checkpoint(kernel, candidate, record, record.parent));
  return made.id;
}

Result<void> settle_best(store::Workflow& workflow, const std::vector<ReplayedStep>& steps)
{
  HONE_TRY(const auto best, workflow.best());
  if (best) {
    return {};
  }
  Gain gain;
  Gain largest{0, 0};
  std::string fastest;
  for (const ReplayedStep& step : steps) {
    if (step.here.kind == record::Job::Kind::judge) { // the start was measured against a copy of itself
      gain = gain.times(judgement_of(step.here.verdict, step.here.recipe_used.regime));
    }
    if (!step.checkpoint.empty() && gain.ratio > largest.ratio) {
      largest = gain;
      fastest = step.checkpoint;
    }
  }
  return fastest.empty() ? Result<void>() : workflow.set_best(fastest);
}

} // namespace

Result<std::vector<ReplayedStep>> replay(const kernel::Kernel& kernel, execute::Executor& executor,
                                         store::Workflow* workflow, const ReplayRequest& request)
{
  std::vector<ReplayedStep> steps;
  const store::Checkpoint* before = nullptr;
  for (const store::Checkpoint& recorded : request.path) {
    HONE_CHECK(check_intact(recorded));
    if (request.before) {
      request.before(recorded);
    }
    record::Job job = job_of(request, recorded, before);
    job.parent = steps.empty() ? "" : steps.back().checkpoint;
    auto record = executor.run(job);
    if (request.stop.stop_requested()) {
      break; // the interruption may be what the job failed of
    }
    if (!record) {
      return std::unexpected(std::move(record.error()));
    }
    ReplayedStep step{recorded, std::move(*record), {}};
    if (workflow != nullptr) {
      HONE_TRY(step.checkpoint, add_checkpoint(kernel, *workflow, recorded.candidate, step.here));
    }
    const bool right = step.here.verdict.status == record::Status::correct;
    steps.push_back(std::move(step));
    if (!right) {
      break;
    }
    before = &recorded;
  }
  if (workflow != nullptr) {
    HONE_CHECK(settle_best(*workflow, steps));
  }
  return steps;
}

} // namespace hone::policy
