// Kernels in OpenCL C on an OpenCL driver that runs on this CPU (PoCL). Thin: enough for any candidate, no tuning of
// the driver.
//
// The driver compiles inside the runner, so there is no compile job: a module is the whole program text, checked here.
// Sizes are passed as `long`. A launch with `shared` bytes takes a `__local` pointer of that size as its last argument.
#pragma once

#include "backend/backend.h"

namespace hone {

const Backend& opencl_backend();

} // namespace hone
