#include "kernel/data_type.h"

#include <array>
#include <cmath>

namespace hone {

namespace {

struct TypeFacts {
  DataType type;
  std::string_view name;
  std::size_t bytes;
  int significand_bits; // with the hidden one; 0 for integers
};

constexpr std::array<TypeFacts, 9> k_types{{
  {DataType::f64, "f64", 8, 53},
  {DataType::f32, "f32", 4, 24},
  {DataType::f16, "f16", 2, 11},
  {DataType::bf16, "bf16", 2, 8},
  {DataType::i64, "i64", 8, 0},
  {DataType::i32, "i32", 4, 0},
  {DataType::i8, "i8", 1, 0},
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

double unit_roundoff(DataType type)
{
  const int bits = facts_of(type).significand_bits;
  return bits > 0 ? std::ldexp(1.0, -bits) : 0.0;
}

} // namespace hone
