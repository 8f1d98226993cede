#include "policy/agent/actions.h"
#include "policy/judgement.h"
#include "policy/spent.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

Result<agent::ActionOutcome> compare(Workspace& workspace, const std::string& name, const std::string& with)
{
  const auto first = node_named(workspace, name), second = node_named(workspace, with);
  if (!first || !second) {
    return refused(first ? second.error().message : first.error().message);
  }
  if (first->checkpoint.id == second->checkpoint.id) {
    return refused("That is one and the same candidate: name two.");
  }
  SearchRun& search = workspace.search;
  if (search.end_if_due(search.step_s())) {
    return refused(fmt::format("There is no time for another measurement ({}). Ask for finish.", search.end_reason()));
  }
  record::Job job = judge_job(search.context(), *second, first->contender(), k_compare_step, record::Depth::glance);
  HONE_TRY(const record::Record record, search.run(job));
  const Judgement judgement = judgement_of(record.verdict, search.context().recipe.regime);
  agent::ActionOutcome outcome;
  outcome.device_s = seconds_spent(record.verdict);
  outcome.text = judgement.correct
                   ? fmt::format("{} has {:.3g}x the speed of {} (at least {:.3g}x): {}",
                                 short_id(first->checkpoint.id), judgement.ratio, short_id(second->checkpoint.id),
                                 judgement.low, record::name_of(judgement.comparison))
                   : fmt::format("{}: {}", record::name_of(record.verdict.status), record.verdict.reason);
  return outcome;
}

} // namespace

agent::Action compare_action(Workspace& workspace)
{
  return {"compare",
          "Times two right candidates against each other. Example: {\"candidate\": \"current\", \"with\": \"start\"}",
          {{"candidate", agent::ActionType::text, "An id, current, start or best.", true},
           {"with", agent::ActionType::text, "Likewise.", true}},
          [&workspace](const Json& arguments) {
            return compare(workspace, arguments["candidate"].get<std::string>(), arguments["with"].get<std::string>());
          }};
}

} // namespace hone::policy
