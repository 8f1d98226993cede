// What a runner program says about its device when it is called with --probe. (internal to the room)
#pragma once

#include "backend/backend.h"
#include "util/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone::backend {

using ProbeFacts = std::map<std::string, std::string>;

// A driver starts threads and runs its own code, so a child asks it. `kind`: "OpenCL"; `hint`: what to install.
Result<ProbeFacts> ask_runner(std::string_view runner, std::string_view kind, std::string_view hint);

// Name, facts and their fingerprint, of a device with memory of its own; and what all such devices say of groups.
DeviceInfo device_from(const ProbeFacts& facts, std::string_view backend);

// Of a device with memory and cores of its own, whose runner takes one job after the other.
Capabilities device_capabilities();

// 0 where there is no such fact.
std::int64_t number_in(const ProbeFacts& facts, const std::string& name);

} // namespace hone::backend
