// The actions of an agent, one per file. (internal to the policy room)
#pragma once

#include "policy/agent/workspace.h"

#include <vector>

namespace hone::policy {

agent::Action read_action(Workspace& workspace);
agent::Action profile_action(Workspace& workspace); // only where the setting names tools
agent::Action apply_action(Workspace& workspace);
agent::Action edit_action(Workspace& workspace);
agent::Action run_action(Workspace& workspace);
agent::Action compare_action(Workspace& workspace);
agent::Action tune_action(Workspace& workspace);
agent::Action finish_action(Workspace& workspace);

std::vector<agent::Action> agent_actions(Workspace& workspace); // `workspace` must outlive them

} // namespace hone::policy
