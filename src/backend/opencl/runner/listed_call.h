// Carries out launches that came as text.
#pragma once

#include "backend/launch_list.h"
#include "backend/opencl/runner/device.h"

#include <string>
#include <vector>

namespace hone::backend::runner {

// The bytes of a file in the working folder; empty where there is none.
std::string text_of(const char* name);

// One launch without its fills, finished on return. `buffers` are named by the launch's arguments.
Trouble run_listed(const Device& device, ClHandle program, const ListedLaunch& launch,
                   const std::vector<ClHandle>& buffers);

} // namespace hone::backend::runner
