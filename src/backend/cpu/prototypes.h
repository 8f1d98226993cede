// Prototypes for the kernels of a candidate's launch plan. (internal)
#pragma once

#include "backend/backend.h"

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// C++ text that is included before device.cpp: a kernel whose signature does not match its launch is an error at the
// candidate's own line. Scratch buffers that `device_text` declares const are const here, too. Errors: one kernel is
// launched with two different lists of arguments.
Result<std::string> kernel_prototypes(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan,
                                      std::string_view device_text);

} // namespace hone::backend::cpu
