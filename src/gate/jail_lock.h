// What the jail helper closes behind itself before it becomes a tool: the kernel's own locks, applied to the calling
// process and inherited by everything it starts. (internal to the gate)
#pragma once

#include "util/result.h"

#include <string>
#include <vector>

namespace hone::gate {

// Version of the kernel's Landlock interface; 0 where it is missing or switched off.
int landlock_abi();
bool seccomp_available();

// Read and execute below the system's folders and `readable`; read and write (not execute) below `folder`; no
// network and no signals to processes outside, where this kernel's Landlock knows them.
Result<void> apply_landlock(const std::string& folder, const std::vector<std::string>& readable);

// System calls that no compiler needs fail with EPERM.
Result<void> apply_seccomp();

} // namespace hone::gate
