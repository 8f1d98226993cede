// Numbers as NVIDIA's devices have them: NaNs, numbers that are flushed, halves, rounding. (internal to the room)
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hone::emulate::execute {

template <class T> T canonical_nan()
{
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(0x7fffffffu);
  } else {
    return std::bit_cast<double>(0x7fffffffffffffffull);
  }
}

// Small numbers become a 0 with their sign (.ftz); of f64 they stay.
inline float flushed(float value)
{
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
inline double flushed(double value)
{
  return value;
}

inline std::uint16_t flushed_half(std::uint16_t bits)
{
  return (bits & 0x7c00) == 0 ? std::uint16_t(bits & 0x8000) : bits;
}

// <cfenv>'s words in a byte.
constexpr std::uint8_t k_to_nearest = 0, k_towards_zero = FE_TOWARDZERO / 0x400, k_downwards = FE_DOWNWARD / 0x400,
                       k_upwards = FE_UPWARD / 0x400;

// The rounding of floats of this thread, while it lives.
class RoundingScope {
public:
  explicit RoundingScope(std::uint8_t rounding) : m_changed(rounding != 0)
  {
    if (m_changed) {
      std::fesetround(rounding * 0x400);
    }
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
  ~RoundingScope()
  {
    if (m_changed) {
      std::fesetround(FE_TONEAREST);
    }
  }

private:
  bool m_changed;
};

inline float half_to_float(std::uint16_t bits)
{
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
inline float bfloat_to_float(std::uint16_t bits)
{
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// A float of at most 32 bits: how many stand behind the point, and its infinity, or the first number that it has not.
struct SmallFloat {
  int mantissa = 0, bias = 0;
  std::uint32_t infinity = 0, nan = 0;
};
constexpr SmallFloat k_small_half{10, 15, 0x7c00, 0x7fff}, k_small_bfloat{7, 127, 0x7f80, 0x7fff},
  k_small_tf32{10, 127, 0x3fc00, 0x3ffff}, k_small_e4m3{3, 7, 0x7f, 0x7f}, k_small_e5m2{2, 15, 0x7c, 0x7f};

// A number that was cut off is between two of these; once only is it rounded, in the way that `rounding` says. Without
// the sign.
std::uint32_t small_float(const SmallFloat& format, std::uint8_t rounding, bool negative, std::uint64_t size,
                          int exponent);
std::uint32_t small_float(const SmallFloat& format, std::uint8_t rounding, double value);

// To the nearest, ties to even, once.
std::uint16_t double_to_half(double value);
std::uint16_t double_to_bfloat(double value);

// a * b + c, where the product is exact, so that it can be rounded once more to at most 50 bits.
double fused_for_rounding(double a, double b, double c);

} // namespace hone::emulate::execute
