#include "policy/agent/actions.h"
#include "policy/spent.h"
#include "policy/tuning.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::policy {
namespace {

constexpr std::int64_t k_usual_points = 24;
constexpr std::int64_t k_most_points = 1000;
constexpr double k_most_share = 0.5; // of the time that is left

Result<agent::ActionOutcome> tune_candidate(Workspace& workspace, const std::string& name, std::int64_t points)
{
  const auto node = node_named(workspace, name);
  if (!node) {
    return refused(node.error().message);
  }
  if (node->checkpoint.candidate.plan.tuning.parameters.empty()) {
    return refused(
      fmt::format("{} has no tuning parameters: [tuning] in launch.toml names them", short_id(node->checkpoint.id)));
  }
  SearchRun& search = workspace.search;
  if (search.end_if_due(search.step_s())) {
    return refused(fmt::format("There is no time for it ({}). Ask for finish.", search.end_reason()));
  }
  const TuningLimits limits{static_cast<std::size_t>(std::clamp<std::int64_t>(points, 1, k_most_points)),
                            k_most_share * search.search_seconds_left()};
  HONE_TRY(const SearchNode tuned, tune(search, *node, limits));
  agent::ActionOutcome outcome;
  if (tuned.checkpoint.id == node->checkpoint.id) {
    outcome.text = fmt::format("No point is proven to be faster than {}.", kernel::to_text(node->checkpoint.point));
    return outcome;
  }
  outcome.device_s = seconds_spent(tuned.checkpoint.record.verdict);
  HONE_CHECK(search.offer(tuned));
  workspace.tried.push_back({std::string(k_tune_step), node->checkpoint.id, "correct",
                             tuned.gain.ratio / node->gain.ratio, tuned.checkpoint.id});
  outcome.text = fmt::format("{} is faster: {:.3g}x, {:.3g}x the speed of the start. Kept as {}.",
                             kernel::to_text(tuned.checkpoint.point), tuned.gain.ratio / node->gain.ratio,
                             tuned.gain.ratio, short_id(tuned.checkpoint.id));
  if (is_confirmed_gain(tuned.gain, workspace.current.gain)) {
    workspace.current = tuned;
    outcome.text += " It is the current candidate now.";
  }
  return outcome;
}

} // namespace

agent::Action tune_action(Workspace& workspace)
{
  return {
    "tune",
    "Searches the values of a candidate's tuning parameters. Takes a while: worth it for what is nearly done.",
    {{"candidate", agent::ActionType::text, "An id, current, start or best; left out: current."},
     {"points", agent::ActionType::integer, fmt::format("How many to try at most; left out: {}.", k_usual_points)}},
    [&workspace](const Json& arguments) {
      return tune_candidate(workspace, arguments.value("candidate", ""), arguments.value("points", k_usual_points));
    }};
}

} // namespace hone::policy
