// A loop program as the text of a dialect. (internal to the room)
#pragma once

#include "lower/device/spelling.h"
#include "lower/loop_program.h"

namespace hone::lower::device {

// A value, in brackets where it binds less tightly than `loosest` (see binding.h).
std::string print(const Value& value, const Spelling& spelling, int loosest);
// A function that is launched, with the arrays of its group.
ProgramBlock print(const Function& function, const Spelling& spelling);

} // namespace hone::lower::device
