// How the user's function is called, for kernel.toml: hone ship keeps it. (internal to the room)
#pragma once

#include "import/program_text.h"

#include <string>

namespace hone::import {

// The section [signature]; empty where a parameter has a type that no tensor or size has.
// `equal`: parameters that stand for sizes, such as a leading dimension.
std::string signature_text(const CFunction& function, const KernelNames& names,
                           const std::map<std::string, kernel::ExprPtr>& equal);

} // namespace hone::import
