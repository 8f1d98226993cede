// CMakeLists.txt and README.md of the folder. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

std::string cmake_text(const ExportContext& names);
std::string readme_text(const ExportContext& names);

} // namespace hone::ship
