// Episodes as training data: messages and tools in the forms that trainers read.
#pragma once

#include "agent/transcript.h"

#include <optional>
#include <string_view>

namespace hone::agent {

enum class TrajectoryForm {
  openai, // arguments of calls are JSON texts
  hf,     // arguments are objects, as chat templates want them
};
std::string_view name_of(TrajectoryForm form);
std::optional<TrajectoryForm> trajectory_form_named(std::string_view name);

// One line of a JSONL file: {"messages": [...], "tools": [...], "mask": [...], "reward": x, "metadata": {...}}. `mask`
// has an entry for each message: 1 for what the model wrote, 0 for what it read, on which nothing may be trained.
Json trajectory(const Transcript& transcript, TrajectoryForm form, std::optional<double> reward, const Json& metadata);

} // namespace hone::agent
