// Makers of the policies, one per file. (internal to the policy room)
#pragma once

#include "policy/policy.h"

namespace hone::policy {

Result<std::unique_ptr<Policy>> make_sequence_policy(const fs::path& recipe_file);
std::unique_ptr<Policy> make_greedy_policy();
std::unique_ptr<Policy> make_beam_policy();
std::unique_ptr<Policy> make_agent_policy();
std::unique_ptr<Policy> make_blaster_policy();

} // namespace hone::policy
