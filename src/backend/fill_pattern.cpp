#include "backend/fill_pattern.h"

#include <cstring>

namespace hone::backend {

std::uint64_t fill_pattern(std::int64_t value, kernel::DataType type)
{
  const auto bits_of = [](auto number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  };
  switch (type) {
  case kernel::DataType::f64:
    return bits_of(static_cast<double>(value));
  case kernel::DataType::f32:
    return bits_of(static_cast<float>(value));
  case kernel::DataType::f16:
    return bits_of(static_cast<_Float16>(value));
  case kernel::DataType::bf16:
    return bits_of(static_cast<float>(value)) >> 16;
  case kernel::DataType::boolean:
    return value != 0;
  default:
    return static_cast<std::uint64_t>(value);
  }
}

} // namespace hone::backend
