// The candidate's own code as it stands in the source that is written. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

struct DeviceText {
  std::string includes; // "#include <math.h>\n..." that the code asks for
  std::string macros;   // tuning values, sizes where they are fixed, macros.h
  std::string code;     // device.cpp
};

// With hone's words still in it. For C, the error names the first thing that C does not have.
Result<DeviceText> device_text(const ExportContext& names);

} // namespace hone::ship
