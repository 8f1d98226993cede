#include "inputs/value_stream.h"

#include <cmath>
#include <cstring>

namespace hone::inputs {

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
template <class T> [[gnu::always_inline]] inline void add_four(const T& x, const T& y, T& sum)
{
  sum = (x >> 8) + (y >> 8) + ((x & 0xffff) << 8) + ((y & 0xffff) << 8);
}

// One value in so many is twice as far out: sums of four uniforms end at 3.5, and what a normal has beyond that is what
// whoever looks at the data before he chooses a way would never meet.
constexpr std::uint32_t k_out_of = 4096;

constexpr std::size_t k_width = 8; // lanes that AVX2 has in a register
using Words [[gnu::vector_size(4 * k_width)]] = std::uint32_t;
using Integers [[gnu::vector_size(4 * k_width)]] = std::int32_t;
using Floats [[gnu::vector_size(4 * k_width)]] = float;

// Some of the lanes in registers: in memory each step would wait for what the last one stored.
struct LanesInRegisters {
  [[gnu::always_inline]] LanesInRegisters(const LaneRandom::State& state, std::size_t first)
  {
    std::memcpy(&a, &state[0][first], sizeof a);
    std::memcpy(&b, &state[1][first], sizeof b);
    std::memcpy(&c, &state[2][first], sizeof c);
    std::memcpy(&d, &state[3][first], sizeof d);
  }

  [[gnu::always_inline]] void store(LaneRandom::State& state, std::size_t first) const
  {
    std::memcpy(&state[0][first], &a, sizeof a);
    std::memcpy(&state[1][first], &b, sizeof b);
    std::memcpy(&state[2][first], &c, sizeof c);
    std::memcpy(&state[3][first], &d, sizeof d);
  }

  // Sums of four uniforms, centred and scaled to variance 1: close enough to normals, and cheap.
  [[gnu::always_inline]] void next_normals(float* out)
  {
    Words x;
    Words y;
    step_xoshiro(a, b, c, d, x);
    step_xoshiro(a, b, c, d, y);
    Words sum;
    add_four(x, y, sum);
    const Words far = reinterpret_cast<Words>(x % k_out_of == 0) & 1;
    const Floats normals = (__builtin_convertvector(reinterpret_cast<Integers>(sum), Floats) * 0x1p-24F - 2.0F)
                           * 1.7320508F * __builtin_convertvector(reinterpret_cast<Integers>(far + 1), Floats);
    std::memcpy(out, &normals, sizeof normals);
  }

  Words a, b, c, d;
};

// Two halves side by side wait less than one by one, and have room in sixteen registers.
[[gnu::always_inline]] inline void normals(LaneRandom& random, float* out, std::size_t count)
{
  static_assert(k_lanes == 2 * k_width);
  LanesInRegisters one(random.state(), 0);
  LanesInRegisters other(random.state(), k_width);
  for (std::size_t base = 0; base < count; base += k_lanes) {
    one.next_normals(out + base);
    other.next_normals(out + base + k_width);
  }
  one.store(random.state(), 0);
  other.store(random.state(), k_width);
}

// The same with the lower half of a double's mantissa from a third word.
[[gnu::always_inline]] inline void normals(LaneRandom& random, double* out, std::size_t count)
{
  std::uint32_t x[k_lanes];
  std::uint32_t y[k_lanes];
  std::uint32_t low[k_lanes];
  for (std::size_t base = 0; base < count; base += k_lanes) {
    random.next(x);
    random.next(y);
    random.next(low);
    for (std::size_t i = 0; i < k_lanes; ++i) {
      std::uint32_t sum = 0;
      add_four(x[i], y[i], sum);
      const double fine = static_cast<double>(static_cast<std::int32_t>(low[i] >> 1)) * 0x1p-55;
      const double scale = x[i] % k_out_of == 0 ? 2 * 1.7320508075688772 : 1.7320508075688772;
      out[base + i] = (static_cast<double>(static_cast<std::int32_t>(sum)) * 0x1p-24 + fine - 2) * scale;
    }
  }
}

template <class T> __attribute__((target("avx2"))) void normals_avx2(LaneRandom& random, T* out, std::size_t count)
{
  normals(random, out, count);
}

} // namespace

// Only the loops are wider on newer CPUs.
template <class T> void draw_normal(LaneRandom& random, T* out, std::size_t count)
{
  if (__builtin_cpu_supports("avx2")) {
    normals_avx2(random, out, count);
  } else {
    normals(random, out, count);
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

double share_of(std::uint64_t seed, std::uint64_t which)
{
  return Random(seed ^ (which + 1) * 0x9e3779b97f4a7c15U).uniform();
}

std::int64_t peak_of_row(const Stream& stream, bool shared, std::int64_t row, std::int64_t extent)
{
  const std::uint64_t seed = shared ? stream.set_seed : stream.seed;
  return static_cast<std::int64_t>(scattered(seed ^ static_cast<std::uint64_t>(row) << 32)
                                   % static_cast<std::uint64_t>(extent));
}

double extreme_magnitude(kernel::DataType type)
{
  return kernel::is_float(type) ? std::exp2(std::floor(std::log2(kernel::largest_value(type)) * 0.3)) : 4.0;
}

// Tensors of one call are a number of calls apart, another one after a while: what two of them choose must not stay in
// step.
Turns Stream::turns() const
{
  constexpr std::uint64_t k_while = 16;
  const std::uint64_t apart =
    position == 0 ? 0 : scattered(picked.occurrence / k_while ^ static_cast<std::uint64_t>(position) << 56) >> 32;
  return Turns(picked.occurrence + apart);
}

} // namespace hone::inputs
