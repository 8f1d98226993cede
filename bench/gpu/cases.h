// The cases of a device: those of the list that suits it.
#pragma once

#include "commands.h"
#include "launch_lists.h"

#include <string>
#include <vector>

namespace hone::gpu_bench {

// False, with a line on stderr, where there is no device or no list. `arch`: what the cases were compiled for.
bool read_cases(const Options& options, std::string& arch, std::vector<Case>& out);

} // namespace hone::gpu_bench
