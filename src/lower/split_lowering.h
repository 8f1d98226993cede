// The second launch of a contraction whose sum is split in parts. (internal to the room)
#pragma once

#include "lower/contraction_code.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

// Adds the memory of the parts to the program, and the launch that adds them up, in their order, and finishes the sums.
Result<void> lower_adding(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect,
                          LoweredProgram& out);

} // namespace hone::lower
