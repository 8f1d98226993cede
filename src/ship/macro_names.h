// Arguments and sizes that are called like a macro of the C library or of the compiler. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <map>
#include <string>

namespace hone::ship {

// Gives them another name in every file: a program may include any header before the function's own.
void rename_macros(const kernel::Kernel& kernel, std::map<std::string, std::string>& files);

} // namespace hone::ship
