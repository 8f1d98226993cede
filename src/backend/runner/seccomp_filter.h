// Which system calls a locked runner may still make.
#pragma once

#include "backend/runner/runner_core.h"

namespace hone::backend::runner {

// nullptr, or what failed.
const char* install_seccomp_filter(LockProfile profile);

} // namespace hone::backend::runner
