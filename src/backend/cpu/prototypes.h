// The wrapper around a candidate's device.cpp: what the kernels of its plan must look like. (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <string_view>

namespace hone::cpu {

// C++ text that is included before device.cpp, so that a kernel with another signature than its launch passes is an
// error at the candidate's own line; where `device_text` promises only to read a scratch buffer, that is what they say,
// too. Errors are the candidate's: one name used with two different lists of arguments.
Result<std::string> kernel_prototypes(const Kernel& kernel, const ResolvedPlan& plan, std::string_view device_text);

} // namespace hone::cpu
