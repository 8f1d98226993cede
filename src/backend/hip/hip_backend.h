// HIP: compiled by clang 19 in the jail for AMD's devices and for the emulated one, on which hone-runner-hip runs it
// with waves of 64.
#pragma once

#include "backend/backend.h"

namespace hone::backend {

const Backend& hip_backend();

} // namespace hone::backend
