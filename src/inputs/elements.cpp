#include "inputs/elements.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace hone::inputs {
namespace {

template <class T> double load_as(const std::byte* bytes)
{
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

template <class T> void store_as(std::byte* bytes, T value)
{
  std::memcpy(bytes, &value, sizeof value);
}

// As std::nearbyint rounds, in operations of which compilers make vectors.
double rounded(double value)
{
  const double shift = std::copysign(0x1p52, value);
  const double whole = (value + shift) - shift;
  return std::fabs(value) < 0x1p52 ? whole : value;
}

template <class T> T integer_of(double value)
{
  // 2^63 is not an i64: stay one float step below.
  constexpr double k_top = sizeof(T) == 8 ? 9223372036854774784.0 : static_cast<double>(std::numeric_limits<T>::max());
  constexpr double k_bottom = static_cast<double>(std::numeric_limits<T>::min());
  const double whole = rounded(value);
  const double inside = whole < k_bottom ? k_bottom : whole > k_top ? k_top : whole;
  return static_cast<T>(std::isnan(value) ? 0.0 : inside);
}

double half_value(std::uint16_t bits)
{
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::uint16_t half_bits(double value)
{
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) {
    return 0x7e00;
  }
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) { // halfway between the largest half and the next step rounds to infinity
    return static_cast<std::uint16_t>(sign | 0x7c00);
  }
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int step = magnitude < 0x1p-14 ? -24 : exponent - 11;
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  if (step == -24) {
    return static_cast<std::uint16_t>(sign | steps);
  }
  // A carry out of the fraction moves into the exponent by itself.
  const auto biased = static_cast<std::uint32_t>(exponent + 14);
  return static_cast<std::uint16_t>(sign | ((biased << 10) + (steps - 1024)));
}

double bfloat_value(std::uint16_t bits)
{
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bfloat_bits(double value)
{
  const auto single = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(single);
  if (std::isnan(single)) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  }
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace

double load_element(kernel::DataType type, const std::byte* bytes)
{
  switch (type) {
  case kernel::DataType::f64:
    return load_as<double>(bytes);
  case kernel::DataType::f32:
    return load_as<float>(bytes);
  case kernel::DataType::f16:
    return half_value(static_cast<std::uint16_t>(load_as<std::uint16_t>(bytes)));
  case kernel::DataType::bf16:
    return bfloat_value(static_cast<std::uint16_t>(load_as<std::uint16_t>(bytes)));
  case kernel::DataType::i64:
    return load_as<std::int64_t>(bytes);
  case kernel::DataType::i32:
    return load_as<std::int32_t>(bytes);
  case kernel::DataType::i16:
    return load_as<std::int16_t>(bytes);
  case kernel::DataType::i8:
    return load_as<std::int8_t>(bytes);
  case kernel::DataType::u32:
    return load_as<std::uint32_t>(bytes);
  case kernel::DataType::u16:
    return load_as<std::uint16_t>(bytes);
  case kernel::DataType::u8:
  case kernel::DataType::boolean:
    return load_as<std::uint8_t>(bytes);
  }
  return 0;
}

void store_element(kernel::DataType type, std::byte* bytes, double value)
{
  store_elements(type, bytes, {&value, 1});
}

void store_elements(kernel::DataType type, std::byte* bytes, std::span<const double> values)
{
  const auto store_all = [&](auto converted) {
    using T = decltype(converted(0.0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      store_as<T>(bytes + i * sizeof(T), converted(values[i]));
    }
  };
  switch (type) {
  case kernel::DataType::f64:
    return store_all([](double value) { return value; });
  case kernel::DataType::f32:
    return store_all([](double value) { return static_cast<float>(value); });
  case kernel::DataType::f16:
    return store_all(half_bits);
  case kernel::DataType::bf16:
    return store_all(bfloat_bits);
  case kernel::DataType::i64:
    return store_all(integer_of<std::int64_t>);
  case kernel::DataType::i32:
    return store_all(integer_of<std::int32_t>);
  case kernel::DataType::i16:
    return store_all(integer_of<std::int16_t>);
  case kernel::DataType::i8:
    return store_all(integer_of<std::int8_t>);
  case kernel::DataType::u32:
    return store_all(integer_of<std::uint32_t>);
  case kernel::DataType::u16:
    return store_all(integer_of<std::uint16_t>);
  case kernel::DataType::u8:
    return store_all(integer_of<std::uint8_t>);
  case kernel::DataType::boolean:
    return store_all([](double value) { return static_cast<std::uint8_t>(value != 0 ? 1 : 0); });
  }
}

} // namespace hone::inputs
