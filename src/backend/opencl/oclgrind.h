// oclgrind: a simulated OpenCL device that watches every access to memory.
#pragma once

#include "backend/inspector.h"

namespace hone::backend::opencl {

const Inspector& oclgrind();

// What oclgrind wrote: "Invalid read of size 4 at global memory address 0x...", then lines that begin with a tab.
Result<std::vector<InspectionFinding>> findings_in(std::string_view log);

} // namespace hone::backend::opencl
