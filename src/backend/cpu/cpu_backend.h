// Kernels as C++ functions of their work-group index, compiled by g++ into one flat image of code.
#pragma once

#include "backend/backend.h"

namespace hone::backend {

const Backend& cpu_backend();

} // namespace hone::backend
