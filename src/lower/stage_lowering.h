// Programs of several statements: each lowered as a kernel of its own, one launch after the other. (internal to the
// room)
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

// A statement that the schedule's nest is not for: in vectors too, once the others are.
Result<LoweredProgram> lower_beside(const kernel::Kernel& stage, const Schedule& schedule, const Dialect& dialect);

// Adds a lowered statement of `kernel`, with the buffer for what it leaves to later ones. Its own functions and buffers
// get its target's name; macros are left to the caller.
Result<void> append_stage(LoweredProgram& out, LoweredProgram stage, const kernel::Kernel& kernel,
                          const kernel::Statement& source, const Dialect& dialect);

} // namespace hone::lower
