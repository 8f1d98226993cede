// The user's own code as the kernel's first candidate on the CPU. (internal to the room)
#pragma once

#include "import/program_text.h"

#include <map>
#include <string>
#include <vector>

namespace hone::import {

// device.cpp, macros.h and launch.toml.
std::map<std::string, std::string> start_candidate_files(const CFile& file, const CFunction& function,
                                                         const KernelNames& names, const Semantics& semantics,
                                                         const std::map<std::string, kernel::ExprPtr>& assumed,
                                                         const std::string& kernel);

// What a wrapper passes for a parameter of the user's function.
std::string passed(const CParameter& parameter, const KernelNames& names,
                   const std::map<std::string, kernel::ExprPtr>& assumed);
// "a", "b": of both lists.
std::string quoted_list(const std::vector<std::string>& first, const std::vector<std::string>& second);

} // namespace hone::import
