#include "emulate/execute/numbers.h"

#include <algorithm>

namespace hone::emulate::execute {

std::uint32_t small_float(const SmallFloat& format, std::uint8_t rounding, bool negative, std::uint64_t size,
                          int exponent)
{
  if (size == 0) {
    return 0;
  }
  const int least = 1 - format.bias;
  const int top = exponent + 63 - std::countl_zero(size); // 1 <= number / 2^top < 2
  const int unit = std::max(top, least) - format.mantissa, shift = unit - exponent;
  std::uint64_t whole = 0;
  if (shift <= 0) {
    whole = size << -shift;
  } else {
    whole = shift < 64 ? size >> shift : 0;
    const std::uint64_t rest = shift < 64 ? size & ((std::uint64_t{1} << shift) - 1) : size;
    const std::uint64_t half = shift <= 64 ? std::uint64_t{1} << (shift - 1) : ~std::uint64_t{0};
    const bool nearer = rest > half || (rest == half && (whole & 1) != 0);
    whole += rounding == k_to_nearest                                        ? (shift <= 64 && nearer ? 1 : 0)
             : rest != 0 && rounding == (negative ? k_downwards : k_upwards) ? 1
                                                                             : 0;
  }
  // The leading one of a normal number counts as one more of the exponent, and so does a carry.
  const std::uint64_t field = static_cast<std::uint64_t>(unit + format.mantissa - least);
  const std::uint64_t bits = (field << format.mantissa) + whole;
  if (bits < format.infinity) {
    return static_cast<std::uint32_t>(bits);
  }
  const bool away = rounding == k_to_nearest || rounding == (negative ? k_downwards : k_upwards);
  return away ? format.infinity : format.infinity - 1;
}

std::uint32_t small_float(const SmallFloat& format, std::uint8_t rounding, double value)
{
  constexpr int k_mantissa = 52, k_bias = 1023, k_most = 0x7ff;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto field = static_cast<int>(bits >> k_mantissa & k_most);
  const std::uint64_t below = bits & ((std::uint64_t{1} << k_mantissa) - 1);
  if (field == k_most) {
    return below != 0 ? format.nan : format.infinity;
  }
  const std::uint64_t size = field == 0 ? below : below | std::uint64_t{1} << k_mantissa;
  return small_float(format, rounding, bits >> 63 != 0, size, std::max(field, 1) - k_bias - k_mantissa);
}

std::uint16_t double_to_half(double value)
{
  const std::uint32_t bits = small_float(k_small_half, k_to_nearest, value);
  return static_cast<std::uint16_t>(bits | (std::signbit(value) && value == value ? 0x8000 : 0));
}

std::uint16_t double_to_bfloat(double value)
{
  const std::uint32_t bits = small_float(k_small_bfloat, k_to_nearest, value);
  return static_cast<std::uint16_t>(bits | (std::signbit(value) && value == value ? 0x8000 : 0));
}

double fused_for_rounding(double a, double b, double c)
{
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) {
    return sum;
  }
  const double part = sum - product, lost = (product - (sum - part)) + (c - part);
  // The last bit says that something was cut off: no tie is met where there is none.
  const bool even = (std::bit_cast<std::uint64_t>(sum) & 1) == 0;
  return lost != 0 && even ? std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL) : sum;
}

} // namespace hone::emulate::execute
