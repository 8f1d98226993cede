// What the registers hold that a function may overwrite, when a group begins: whatever the group before it left there,
// as on a worker that runs one after another, or numbers that nobody left. (internal to the inspector)
#pragma once

#include "util/random.h"

#include <cstdint>

namespace hone::cpu {

enum class GroupRegisters { as_left, drawn };

// Where a group is to be entered in place of `entry`: the vectors, the masks, the old unit's registers and the general
// ones that hold no argument are loaded first, and what the group leaves is stored. One group at a time; `entry` itself
// where the processor cannot store its state.
void* with_registers(void* entry, GroupRegisters registers, Random& random);

// The next group finds zeros.
void forget_registers();

} // namespace hone::cpu
