// Contents of the caller-saved registers when a group starts: what the previous group left there, as on a worker that
// runs groups one after another, or random bits. Comparing the two finds state leakage through registers. (internal to
// the inspector)
#pragma once

#include "util/random.h"

#include <cstdint>

namespace hone::backend::cpu {

enum class GroupRegisters { preserved, randomized };

// A function to call in place of `entry`. It loads vector, mask and x87 registers and the general registers that hold
// no argument, calls `entry`, and stores what the group leaves. One group at a time. Returns `entry` itself if the
// processor has no XSAVE.
void* entry_with_registers(void* entry, GroupRegisters registers, Random& random);

// The next group starts with zeros.
void clear_registers();

} // namespace hone::backend::cpu
