// What CUDA C++ and HIP take from the vendors' headers, as text for clang alone. (internal to the room)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend {

// Of "cuda" or "hip": qualifiers, built-in variables, conversions of f16 and bf16, and functions of <cmath> for float
// and double. CUDA's are defined by libclc, HIP's by ROCm's device libraries; the compiler links them.
std::string device_prelude(std::string_view language);
// The same for HIP on the emulated device.
std::string emulated_hip_prelude();

} // namespace hone::backend
