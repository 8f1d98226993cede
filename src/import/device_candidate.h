// The user's own __global__ function as the kernel's first candidate on a device. (internal to the room)
#pragma once

#include "import/launch.h"
#include "import/program_text.h"

#include <map>
#include <string>

namespace hone::import {

// device.cu or device.hip, macros.h and launch.toml. `kernel`'s parameters are called as the definition calls them.
// Error: the launch counts on a value that is no size.
Result<std::map<std::string, std::string>> device_candidate_files(const CFile& file, const CFunction& kernel,
                                                                  const KernelLaunch& launch, const KernelNames& names,
                                                                  const Semantics& semantics,
                                                                  const std::map<std::string, kernel::ExprPtr>& assumed,
                                                                  const std::string& kernel_name);

} // namespace hone::import
