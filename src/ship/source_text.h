// KERNEL.c or KERNEL.cpp, and KERNEL_groups.c or KERNEL_groups.cpp, whole. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// The function of the header: plan, memory, threads. Nothing in it is the candidate's text.
Result<std::string> source_text(const ExportContext& names);

// The candidate's text, in a file of its own: what it declares (names of functions for the linker, overloads, macros,
// pragmas) changes nothing in the other one.
Result<std::string> groups_source_text(const ExportContext& names);

} // namespace hone::ship
