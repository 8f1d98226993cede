// The user's own code as the kernel's first candidate on the CPU. (internal to the room)
#pragma once

#include "import/program_text.h"

#include <map>
#include <string>

namespace hone::import {

// device.cpp, macros.h and launch.toml.
std::map<std::string, std::string> start_candidate_files(const CFile& file, const CFunction& function,
                                                         const KernelNames& names, const Semantics& semantics,
                                                         const std::map<std::string, kernel::ExprPtr>& assumed,
                                                         const std::string& kernel);

} // namespace hone::import
