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

std::uint32_t tensor_map_type(kernel::DataType type)
{
  using kernel::DataType;
  switch (type) {
  case DataType::u16:
  case DataType::i16:
    return 1;
  case DataType::u32:
    return 2;
  case DataType::i32:
    return 3;
  case DataType::i64:
    return 5;
  case DataType::f16:
    return 6;
  case DataType::f32:
    return 7;
  case DataType::f64:
    return 8;
  case DataType::bf16:
    return 9;
  default: // bytes
    return 0;
  }
}

} // namespace hone::backend
