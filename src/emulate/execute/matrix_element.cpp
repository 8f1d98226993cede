#include "emulate/execute/matrix_element.h"

#include "emulate/execute/numbers.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace hone::emulate::execute {

namespace {

// A float of 8 bits: so many bits of exponent and mantissa; e4m3 has no infinity.
double small_float(std::uint8_t bits, int exponent_bits, int mantissa_bits)
{
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1),
            mantissa = bits & ((1 << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1, most = (1 << exponent_bits) - 1;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (exponent_bits == 4 ? (bits & 0x7f) == 0x7f : exponent == most) {
    return exponent_bits == 5 && mantissa == 0 ? sign * INFINITY : NAN;
  }
  const double value = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                     : std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
  return sign * value;
}

} // namespace

std::optional<MatrixElement> element_of(std::string_view text)
{
  static constexpr std::array<std::pair<std::string_view, MatrixElement>, 10> k_names = {{{"f16", MatrixElement::f16},
                                                                                          {"bf16", MatrixElement::bf16},
                                                                                          {"tf32", MatrixElement::tf32},
                                                                                          {"f64", MatrixElement::f64},
                                                                                          {"s8", MatrixElement::s8},
                                                                                          {"u8", MatrixElement::u8},
                                                                                          {"e4m3", MatrixElement::e4m3},
                                                                                          {"e5m2", MatrixElement::e5m2},
                                                                                          {"f32", MatrixElement::f32},
                                                                                          {"s32", MatrixElement::s32}}};
  for (const auto& [name, element] : k_names) {
    if (name == text) {
      return element;
    }
  }
  return std::nullopt;
}

int bits_of(MatrixElement element)
{
  switch (element) {
  case MatrixElement::f16:
  case MatrixElement::bf16:
    return 16;
  case MatrixElement::f64:
    return 64;
  case MatrixElement::s8:
  case MatrixElement::u8:
  case MatrixElement::e4m3:
  case MatrixElement::e5m2:
    return 8;
  default:
    return 32;
  }
}

double value_of(std::uint32_t bits, MatrixElement element)
{
  switch (element) {
  case MatrixElement::f16:
    return half_to_float(static_cast<std::uint16_t>(bits));
  case MatrixElement::bf16:
    return bfloat_to_float(static_cast<std::uint16_t>(bits));
  case MatrixElement::tf32:
    return std::bit_cast<float>(bits & 0xffffe000u);
  case MatrixElement::s8:
    return static_cast<std::int8_t>(bits);
  case MatrixElement::u8:
    return bits;
  case MatrixElement::e4m3:
    return small_float(static_cast<std::uint8_t>(bits), 4, 3);
  case MatrixElement::e5m2:
    return small_float(static_cast<std::uint8_t>(bits), 5, 2);
  case MatrixElement::s32:
    return static_cast<std::int32_t>(bits);
  default:
    return std::bit_cast<float>(bits);
  }
}

} // namespace hone::emulate::execute
