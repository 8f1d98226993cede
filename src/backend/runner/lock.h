// Closes the doors: rlimits, no_new_privs, not dumpable, Landlock, seccomp. Cannot be undone.
#pragma once

#include "backend/runner/runner_core.h"

namespace hone::backend::runner {

// nullptr, or what could not be closed. Landlock missing from the kernel is no failure: seccomp holds alone then.
const char* lock_down(const Platform& platform);

} // namespace hone::backend::runner
