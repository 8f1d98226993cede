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

// To the nearest, ties to even, once.
std::uint16_t double_to_half(double value);
std::uint16_t double_to_bfloat(double value);

} // namespace hone::emulate::execute
