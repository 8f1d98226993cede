#include "gate/value_stream.h"

namespace hone {

template <class T> void draw_uniform(LaneRandom& random, T* out, std::size_t count)
{
  std::uint32_t high[k_lanes];
  std::uint32_t low[k_lanes];
  for (std::size_t base = 0; base < count; base += k_lanes) {
    random.next(high);
    if constexpr (sizeof(T) == 8) {
      random.next(low);
      for (std::size_t i = 0; i < k_lanes; ++i) {
        const double upper = static_cast<double>(static_cast<std::int32_t>(high[i] >> 1));
        const double lower = static_cast<double>(static_cast<std::int32_t>(low[i] >> 10));
        out[base + i] = upper * 0x1p-31 + lower * 0x1p-53;
      }
    } else {
      for (std::size_t i = 0; i < k_lanes; ++i) {
        out[base + i] = static_cast<float>(static_cast<std::int32_t>(high[i] >> 8)) * 0x1p-24F;
      }
    }
  }
}

namespace {

// Four uniforms added up, in units of 2^-24: upper 24 and lower 16 bits of two words. That they overlap by eight low
// bits does not matter here.
[[gnu::always_inline]] inline std::int32_t sum_of_four(std::uint32_t x, std::uint32_t y)
{
  return static_cast<std::int32_t>((x >> 8) + (y >> 8) + ((x & 0xffff) << 8) + ((y & 0xffff) << 8));
}

// One value in so many is twice as far out: sums of four uniforms end at 3.5, and what a normal has beyond that is what
// whoever looks at the data before he chooses a way would never meet.
constexpr std::uint32_t k_out_of = 4096;

// Sum of four uniforms, centred and scaled to variance 1: close enough to a normal, and cheap.
[[gnu::always_inline]] inline void normal_lanes(LaneRandom& random, float* out, std::size_t count)
{
  LaneRandom own = random; // `out` may point anywhere
  std::uint32_t x[k_lanes];
  std::uint32_t y[k_lanes];
  for (std::size_t base = 0; base < count; base += k_lanes) {
    own.next(x);
    own.next(y);
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const std::int32_t sum = sum_of_four(x[i], y[i]);
      const float scale = x[i] % k_out_of == 0 ? 2 * 1.7320508F : 1.7320508F;
      out[base + i] = (static_cast<float>(sum) * 0x1p-24F - 2.0F) * scale;
    }
  }
  random = own;
}

// The same with the lower half of a double's mantissa from a third word.
[[gnu::always_inline]] inline void normal_lanes(LaneRandom& random, double* out, std::size_t count)
{
  std::uint32_t x[k_lanes];
  std::uint32_t y[k_lanes];
  std::uint32_t low[k_lanes];
  for (std::size_t base = 0; base < count; base += k_lanes) {
    random.next(x);
    random.next(y);
    random.next(low);
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const std::int32_t sum = sum_of_four(x[i], y[i]);
      const double fine = static_cast<double>(static_cast<std::int32_t>(low[i] >> 1)) * 0x1p-55;
      const double scale = x[i] % k_out_of == 0 ? 2 * 1.7320508075688772 : 1.7320508075688772;
      out[base + i] = (static_cast<double>(sum) * 0x1p-24 + fine - 2) * scale;
    }
  }
}

template <class T>
__attribute__((target("avx512f,avx512vl,avx512dq"))) void normal_avx512(LaneRandom& random, T* out, std::size_t count)
{
  normal_lanes(random, out, count);
}

template <class T> __attribute__((target("avx2"))) void normal_avx2(LaneRandom& random, T* out, std::size_t count)
{
  normal_lanes(random, out, count);
}

} // namespace

// Only the loops are wider on newer CPUs.
template <class T> void draw_normal(LaneRandom& random, T* out, std::size_t count)
{
  if (__builtin_cpu_supports("avx512dq")) {
    normal_avx512(random, out, count);
  } else if (__builtin_cpu_supports("avx2")) {
    normal_avx2(random, out, count);
  } else {
    normal_lanes(random, out, count);
  }
}
template void draw_uniform(LaneRandom& random, float* out, std::size_t count);
template void draw_uniform(LaneRandom& random, double* out, std::size_t count);
template void draw_normal(LaneRandom& random, float* out, std::size_t count);
template void draw_normal(LaneRandom& random, double* out, std::size_t count);

std::uint64_t drawn_for_row_of(const Stream& stream, std::int64_t index)
{
  const auto row = static_cast<std::uint64_t>(index / stream.row);
  return (row * 0x9e3779b97f4a7c15U ^ stream.seed) * 0xbf58476d1ce4e5b9U >> 32;
}

std::int64_t peak_of_row(const Stream& stream, std::int64_t row, std::int64_t extent)
{
  const std::uint64_t seed = stream.set_seed % 2 == 0 ? stream.set_seed : stream.seed;
  return static_cast<std::int64_t>(scattered(seed ^ static_cast<std::uint64_t>(row) << 32)
                                   % static_cast<std::uint64_t>(extent));
}

} // namespace hone
