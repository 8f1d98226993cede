// What the policy `agent` works with, as the settings say.
#pragma once

#include "app/climb_setup.h"
#include "policy/agent_setting.h"

#include <memory>

namespace hone::app {

// Kept alive while the policy runs: the agent's performance tools have a gate of their own.
class AgentSetup {
public:
  virtual ~AgentSetup() = default;
  virtual const policy::AgentSetting& setting() const = 0;
};

// An error where no model is named. `context` and `climb` must outlive it.
Result<std::unique_ptr<AgentSetup>> open_agent(Context& context, Climb& climb);

// The folder of episodes of a kernel on a backend.
fs::path episodes_folder(const Workbench& bench);

} // namespace hone::app
