// Finds state leakage between groups through registers and the stack: a group that computes something else, or makes
// another number of accesses, because of what an earlier group left there.
#pragma once

#include "backend/cpu/watch/inspector/inspection_job.h"

#include <optional>
#include <string>

namespace hone::backend::cpu {

// "" or a line for findings.txt. `library`: instrumented.so, which was inspected before. Calls that are not covered
// entirely are not checked.
std::string find_state_leakage(const InspectionJob& job, const char* library);

} // namespace hone::backend::cpu
