// Kernels in OpenCL C on an OpenCL driver that runs on this CPU (PoCL). No tuning of the driver.
//
// A candidate is compiled once, in the jail: the program and the code for the work-group sizes that its plan launches,
// kept as the binary that the driver gives for it. Runners only load that.
//
// Sizes are passed as `long`. A launch with `shared` bytes takes a `__local` pointer of that size as its last argument.
#pragma once

#include "backend/backend.h"

namespace hone::backend {

const Backend& opencl_backend();

} // namespace hone::backend
