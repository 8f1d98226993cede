// What a runner program says about its device when it is called with --probe. (internal to the room)
#pragma once

#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone::backend {

using ProbeFacts = std::map<std::string, std::string>;

// A driver starts threads and runs its own code, so a child asks it. `kind`: "OpenCL"; `hint`: what to install.
Result<ProbeFacts> ask_runner(std::string_view runner, std::string_view kind, std::string_view hint);

// 0 where there is no such fact.
std::int64_t number_in(const ProbeFacts& facts, const std::string& name);

} // namespace hone::backend
