#include "app/tune_parameters.h"

#include "app/climb_setup.h"
#include "app/figures.h"
#include "app/result_json.h"
#include "policy/tuned_space.h"
#include "tune/cache_file.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

// Written in any case: what an interrupted search measured is worth keeping, too.
Result<std::size_t> export_cache(const policy::PolicyContext& policy, const std::string& checkpoint,
                                 const fs::path& file)
{
  if (file.empty()) {
    return 0;
  }
  HONE_TRY(const tune::StoredSpace space, policy::tuned_space(policy, checkpoint));
  HONE_CHECK(tune::write_cache_file(space, file));
  return space.trials.size();
}

} // namespace

Result<TuneResult> tune_parameters(Context& context, const TuneRequest& request)
{
  HONE_TRY(Climb climb, open_climb(context, request.kernel));
  HONE_TRY(policy::PolicyContext policy, policy_context(context, climb));
  TuneResult result;
  HONE_TRY(result.from, climb.workflow.find(request.checkpoint));
  if (result.from.candidate.plan.tuning.parameters.empty()) {
    return fail(fmt::format("checkpoint {} has no tuning parameters", short_id(result.from.id)),
                "apply a transformation that brings some (hone transforms list), or tune another checkpoint");
  }
  context.observer->climb_begins(climb.scale);
  HONE_TRY(const std::string best, policy::tune_checkpoint(policy, result.from.id, request.points));
  HONE_TRY(result.best, climb.workflow.find(best));
  context.observer->clear_status();
  HONE_TRY(result.exported, export_cache(policy, result.from.id, request.cache));
  return result;
}

Json to_json(const TuneResult& result)
{
  return {{"from", result.from.id},
          {"checkpoint", result.best.id},
          {"improved", result.improved()},
          {"point", point_json(result.best.point)},
          {"record", record::to_json(result.best.record)}};
}

} // namespace hone::app
