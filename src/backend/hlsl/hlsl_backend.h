// HLSL on Vulkan: compiled to SPIR-V by glslang in the jail, run by hone-runner-vulkan.
#pragma once

#include "backend/backend.h"

namespace hone::backend {

const Backend& hlsl_backend();

} // namespace hone::backend
