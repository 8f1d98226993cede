// The wrapper around a candidate's device.cpp: what the kernels of its plan must look like. (internal)
#pragma once

#include "backend/backend.h"

#include <string>

namespace hone::cpu {

// C++ text that is included before device.cpp, so that a kernel with another signature than its launch passes is an
// error at the candidate's own line. Errors are the candidate's: one name used with two different lists of arguments.
Result<std::string> kernel_prototypes(const Kernel& kernel, const ResolvedPlan& plan);

} // namespace hone::cpu
