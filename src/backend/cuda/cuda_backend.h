// CUDA C++: compiled by clang 19 in the jail, run by hone-runner-cuda on NVIDIA's driver, or on the emulated one.
#pragma once

#include "backend/backend.h"

namespace hone::backend {

const Backend& cuda_backend();

} // namespace hone::backend
