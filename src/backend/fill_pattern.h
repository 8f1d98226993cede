// The bits of the values that launch plans fill buffers with.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>

namespace hone::backend {

// The bits of an element of type `type`, in the low bytes. 0 is 0 in every type; others are converted like C does.
std::uint64_t fill_pattern(std::int64_t value, kernel::DataType type);

// A type's number in CUDA's tensor maps (CUtensorMapDataType).
std::uint32_t tensor_map_type(kernel::DataType type);

} // namespace hone::backend
