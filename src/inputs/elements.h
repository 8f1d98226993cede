// Elements of tensors as numbers, whatever their type.
#pragma once

#include "kernel/data_type.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::inputs {

// The value of the element at `bytes`; exact for every type but i64 beyond 2^53.
double load_element(kernel::DataType type, const std::byte* bytes);
// Rounds to nearest even for floats; integers are rounded and clamped to the type's range.
void store_element(kernel::DataType type, std::byte* bytes, double value);
void store_elements(kernel::DataType type, std::byte* bytes, std::span<const double> values); // one behind the other

} // namespace hone::inputs
