// The launch plan as plain loops: the function that a program calls. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// Forward declarations of what is launched, and the functions of the header. Names of hone.h are still in it.
Result<std::string> host_text(const ExportContext& names);

// Why the function can return what it returns: names of the header's codes.
std::string header_text(const ExportContext& names);

} // namespace hone::ship
