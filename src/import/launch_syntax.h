// kernel<<<grid, block>>>(arguments) as plain C++, which the front end reads without a toolkit. (internal to the room)
#pragma once

#include "util/result.h"

#include <string>
#include <string_view>

namespace hone::import {

inline constexpr std::string_view k_launch_function = "hone_launch";

// Launches become (hone_launch(grid, block, ...), kernel)(arguments), hipLaunchKernelGGL() too. Function templates that
// run on a device become functions, with the arguments of their first launch in place of their parameters. Lines stay
// lines. Errors: a launch without its end.
Result<std::string> with_launches_as_calls(const std::string& path, std::string_view text);

} // namespace hone::import
