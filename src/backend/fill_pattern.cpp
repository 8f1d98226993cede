#include "backend/fill_pattern.h"

#include <cstring>

namespace hone {

std::uint64_t fill_pattern(std::int64_t value, DataType type)
{
  const auto bits_of = [](auto number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  };
  switch (type) {
  case DataType::f64:
    return bits_of(static_cast<double>(value));
  case DataType::f32:
    return bits_of(static_cast<float>(value));
  case DataType::f16:
    return bits_of(static_cast<_Float16>(value));
  case DataType::bf16:
    return bits_of(static_cast<float>(value)) >> 16;
  case DataType::boolean:
    return value != 0;
  default:
    return static_cast<std::uint64_t>(value);
  }
}

} // namespace hone
