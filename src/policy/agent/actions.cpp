#include "policy/agent/actions.h"

namespace hone::policy {

std::vector<agent::Action> agent_actions(Workspace& workspace)
{
  std::vector<agent::Action> actions{read_action(workspace)};
  if (!workspace.setting.tools.empty()) {
    actions.push_back(profile_action(workspace));
  }
  for (const auto make : {apply_action, edit_action, run_action, compare_action, tune_action, finish_action}) {
    actions.push_back(make(workspace));
  }
  return actions;
}

} // namespace hone::policy
