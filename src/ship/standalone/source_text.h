// KERNEL.c or KERNEL.cpp whole. (internal to the room)
#pragma once

#include "ship/standalone/names.h"

namespace hone {

Result<std::string> source_text(const StandaloneNames& names);

} // namespace hone
