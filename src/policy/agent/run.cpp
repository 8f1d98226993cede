#include "policy/agent/actions.h"
#include "policy/attempt.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

Result<agent::ActionOutcome> run(Workspace& workspace)
{
  const PolicyContext& context = workspace.search.context();
  auto candidate = kernel::make_candidate(*context.kernel, workspace.draft);
  if (!candidate) {
    return refused(candidate.error().text());
  }
  const SearchNode from = workspace.current;
  if (candidate->hash() == from.checkpoint.candidate.hash()) {
    return refused("The draft is the current candidate: edit it first.");
  }
  record::Contender contender;
  contender.point = with_groups_for_threads(*candidate, inherited_point(*candidate, from.checkpoint, context), context);
  contender.candidate = std::move(*candidate);
  HONE_TRY(agent::ActionOutcome outcome,
           judge_candidate(workspace, from, std::move(contender), std::string(k_edit_step)));
  return outcome;
}

} // namespace

agent::Action run_action(Workspace& workspace)
{
  return {"run",
          "Has the draft judged against the current candidate: compiled, checked, timed. The draft stays as it is.",
          {},
          [&workspace](const Json&) { return run(workspace); }};
}

} // namespace hone::policy
