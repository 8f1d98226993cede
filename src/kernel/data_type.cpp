#include "kernel/data_type.h"

#include <array>
#include <cmath>
#include <limits>

namespace hone::kernel {

namespace {

struct TypeFacts {
  DataType type;
  std::string_view name;
  std::size_t bytes;
  int significand_bits; // with the hidden one; 0 for integers
};

constexpr std::array<TypeFacts, 12> k_types{{
  {DataType::f64, "f64", 8, 53},
  {DataType::f32, "f32", 4, 24},
  {DataType::f16, "f16", 2, 11},
  {DataType::bf16, "bf16", 2, 8},
  {DataType::i64, "i64", 8, 0},
  {DataType::i32, "i32", 4, 0},
  {DataType::i16, "i16", 2, 0},
  {DataType::i8, "i8", 1, 0},
  {DataType::u32, "u32", 4, 0},
  {DataType::u16, "u16", 2, 0},
  {DataType::u8, "u8", 1, 0},
  {DataType::boolean, "bool", 1, 0},
}};

const TypeFacts& facts_of(DataType type)
{
  return k_types[static_cast<std::size_t>(type)];
}

} // namespace

std::string_view name_of(DataType type)
{
  return facts_of(type).name;
}

std::optional<DataType> data_type_from(std::string_view name)
{
  for (const TypeFacts& facts : k_types) {
    if (facts.name == name) {
      return facts.type;
    }
  }
  return std::nullopt;
}

std::size_t size_of(DataType type)
{
  return facts_of(type).bytes;
}

bool is_float(DataType type)
{
  return facts_of(type).significand_bits > 0;
}

bool is_unsigned(DataType type)
{
  return type == DataType::u32 || type == DataType::u16 || type == DataType::u8;
}

double unit_roundoff(DataType type)
{
  const int bits = facts_of(type).significand_bits;
  return bits > 0 ? std::ldexp(1.0, -bits) : 0.0;
}

double largest_value(DataType type)
{
  switch (type) {
  case DataType::f64:
    return std::numeric_limits<double>::max();
  case DataType::f32:
    return static_cast<double>(std::numeric_limits<float>::max());
  case DataType::f16:
    return 65504.0;
  case DataType::bf16:
    return 0x1.fep127;
  case DataType::i64:
    return 9223372036854775807.0;
  case DataType::i32:
    return 2147483647.0;
  case DataType::i16:
    return 32767.0;
  case DataType::i8:
    return 127.0;
  case DataType::u32:
    return 4294967295.0;
  case DataType::u16:
    return 65535.0;
  case DataType::u8:
    return 255.0;
  case DataType::boolean:
    return 1.0;
  }
  return 0;
}

double lowest_value(DataType type)
{
  if (is_float(type)) {
    return -largest_value(type);
  }
  return type == DataType::boolean || is_unsigned(type) ? 0.0 : -largest_value(type) - 1;
}

double smallest_normal(DataType type)
{
  switch (type) {
  case DataType::f64:
    return std::numeric_limits<double>::min();
  case DataType::f32:
  case DataType::bf16:
    return 0x1p-126;
  case DataType::f16:
    return 0x1p-14;
  default:
    return 1.0;
  }
}

} // namespace hone::kernel
