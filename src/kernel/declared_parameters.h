// What device code in C or C++ says of its kernels' parameters.
#pragma once

#include <cstddef>
#include <string_view>

namespace hone::kernel {

// Whether a kernel promises only to read what one of its parameters points to: "const float* packed" (the pointer
// itself may be constant or not). `parameter` is counted from 0, the group included. False where the text has no such
// kernel, or macros stand in the way.
bool is_declared_const(std::string_view device_text, std::string_view kernel, std::size_t parameter);

} // namespace hone::kernel
