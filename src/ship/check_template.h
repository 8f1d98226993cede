// The fixed part of KERNEL_check.cpp. (internal to the room)
#pragma once

#include <string>

namespace hone::ship {

// With @fn@, @cases@, @arguments@, @call@, @argument count@, @size count@ and @statement count@ left open.
std::string check_template();

} // namespace hone::ship
