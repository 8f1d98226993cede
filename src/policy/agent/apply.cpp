#include "policy/agent/actions.h"
#include "policy/attempt.h"

#include <fmt/format.h>

namespace hone::policy {
namespace {

Result<agent::ActionOutcome> apply(Workspace& workspace, const std::string& name, const std::string& candidate)
{
  const auto from = node_named(workspace, candidate);
  if (!from) {
    return refused(from.error().message);
  }
  const auto step = catalogue::find_transformation(workspace.search.context().catalogue, name);
  if (!step) {
    return refused(step.error().message + ". " + step.error().hint);
  }
  auto made = attempt(workspace.search.context(), *from, **step);
  if (!made) {
    return refused(fmt::format("'{}' cannot be applied to {}: {}. You may read the step and carry it out by edits.",
                               name, short_id(from->checkpoint.id), made.error()));
  }
  return judge_candidate(workspace, *from, std::move(made->contender), name);
}

} // namespace

agent::Action apply_action(Workspace& workspace)
{
  return {"apply",
          "Carries out a named step on a candidate, and has the result judged. Example: {\"step\": \"reorder-loops\"}",
          {{"step", agent::ActionType::text, "Its name, from read with the topic steps.", true},
           {"candidate", agent::ActionType::text,
            "What it is applied to: an id, current, start or best; left out: current."}},
          [&workspace](const Json& arguments) {
            return apply(workspace, arguments["step"].get<std::string>(), arguments.value("candidate", ""));
          }};
}

} // namespace hone::policy
