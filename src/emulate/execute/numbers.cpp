#include "emulate/execute/numbers.h"

namespace hone::emulate::execute {

namespace {

// A float with `mantissa` bits behind the point and exponents from `least` on.
std::uint16_t narrowed(double value, int mantissa, int least, int bias, std::uint16_t infinity)
{
  if (value != value) {
    return 0x7fff;
  }
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (size == 0 || std::isinf(size)) {
    return static_cast<std::uint16_t>(sign | (size == 0 ? 0 : infinity));
  }
  int exponent = 0;
  std::frexp(size, &exponent);
  --exponent; // 1 <= size / 2^exponent < 2
  const int step = std::max(exponent, least) - mantissa;
  const double steps = std::nearbyint(std::ldexp(size, -step)); // exact: it has 53 bits and loses none above the step
  const auto units = static_cast<std::uint32_t>(steps);
  if (exponent < least) {
    return static_cast<std::uint16_t>(sign | units); // a carry makes it normal
  }
  const std::uint32_t bits = (static_cast<std::uint32_t>(exponent + bias) << mantissa) + (units - (1u << mantissa));
  return static_cast<std::uint16_t>(sign | (bits >= infinity ? infinity : bits));
}

} // namespace

std::uint16_t double_to_half(double value)
{
  return narrowed(value, 10, -14, 15, 0x7c00);
}

std::uint16_t double_to_bfloat(double value)
{
  return narrowed(value, 7, -126, 127, 0x7f80);
}

} // namespace hone::emulate::execute
