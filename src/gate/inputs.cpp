#include "gate/inputs.h"

#include "gate/elements.h"
#include "util/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hone {
namespace {

constexpr std::size_t k_lanes = 16;
constexpr std::size_t k_chunk = 1024; // elements made at a time: they stay in the first-level cache

// Sixteen xoshiro128+ generators side by side, written so that the compiler vectorises the loops.
class LaneRandom {
public:
  explicit LaneRandom(std::uint64_t seed)
  {
    Random random(seed);
    for (auto& word : m_state) {
      for (std::uint32_t& lane : word) {
        lane = static_cast<std::uint32_t>(random.next() >> 32);
      }
    }
  }

  [[gnu::always_inline]] void next(std::uint32_t* out)
  {
    auto& [a, b, c, d] = m_state;
    for (std::size_t i = 0; i < k_lanes; ++i) {
      out[i] = a[i] + d[i];
      const std::uint32_t shifted = b[i] << 9;
      c[i] ^= a[i];
      d[i] ^= b[i];
      b[i] ^= c[i];
      a[i] ^= d[i];
      c[i] ^= shifted;
      d[i] = std::rotl(d[i], 11);
    }
  }

private:
  std::array<std::array<std::uint32_t, k_lanes>, 4> m_state;
};

// Uniform in [0, 1) with the type's full mantissa.
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

// The same numbers whatever the CPU: only the loops are wider.
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

struct Stream {
  LaneRandom random;
  ValueFamily family;
  DataType type;
  std::size_t position;  // of the argument
  std::int64_t row;      // elements of the last axis
  std::int64_t elements; // of the whole tensor
  std::uint64_t seed;
  std::uint64_t set_seed; // of all tensors of a call
  double factor = 1;      // of all elements
};

template <class T> void scale(T* values, std::size_t count, T factor)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= factor;
  }
}

template <class T> void heavy_tail(Stream& stream, T* values, std::size_t count)
{
  T divisor[k_chunk];
  draw_uniform(stream.random, divisor, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] /= std::max(divisor[i], T(0x1p-10));
  }
}

template <class T> void one_hot(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row;
    // A fixed odd stride visits the columns like a permutation; the seed says where it starts.
    const auto hot =
      (static_cast<std::uint64_t>(row) * 7 + stream.seed % 1009) % static_cast<std::uint64_t>(stream.row);
    values[i] = static_cast<std::uint64_t>(index % stream.row) == hot ? T(1) : T(0);
  }
}

// Only the first tensor alternates, or the signs of a product's factors would cancel each other.
template <class T> void cancellation(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const bool negative = stream.position == 0 && ((first + static_cast<std::int64_t>(i)) & 1) != 0;
    const T magnitude = T(1000) + values[i];
    values[i] = negative ? -magnitude : magnitude;
  }
}

template <class T> void signed_zeros(Stream& stream, T* values, std::size_t count)
{
  T choice[k_chunk];
  draw_uniform(stream.random, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (choice[i] < T(0.75)) {
      values[i] = std::copysign(T(0), values[i]);
    }
  }
}

template <class T> void odd_suffix(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool late =
      index >= stream.elements - stream.elements / 8 || index % stream.row >= stream.row - stream.row / 8;
    values[i] *= late ? T(50) : T(1);
  }
}

// Two of the places that a look at a few elements of a row would take, its ends and its middle, hold outliers.
template <class T> void framed(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::array places{std::int64_t{0}, stream.row / 2, stream.row - 1};
  const std::int64_t without = places[stream.seed / 8 % places.size()];
  const T height = std::ldexp(T(1), 6 + static_cast<int>(stream.seed / 32 % (stream.type == DataType::f16 ? 4 : 10)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    const bool framing = column != without && std::ranges::find(places, column) != places.end();
    values[i] += framing ? height : T(0);
  }
}

// Whoever computes a sum from a part of its terms misses the spike or counts it several times. One chain of additions
// does not: its rounding errors grow with the sum, which about doubles.
template <class T> void spikes(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  if (stream.seed % 4 == 1) {
    return framed(stream, values, count, first);
  }
  const bool per_row = stream.seed % 4 == 0;
  const std::int64_t span = per_row ? stream.row : stream.elements;
  const T height = std::sqrt(static_cast<T>(span)) + T(1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::uint64_t row = static_cast<std::uint64_t>(index / span);
    const auto place = (stream.seed / 4 + row * 7919) % static_cast<std::uint64_t>(span);
    if (static_cast<std::uint64_t>(index % span) == place) {
      values[i] = values[i] < T(0) ? -height : height;
    }
  }
}

double extreme_magnitude(DataType type)
{
  return is_float(type) ? std::exp2(std::floor(std::log2(largest_value(type)) * 0.3)) : 4.0;
}

// Also all negative, or nearly: where exponents are taken, a maximum is not near 0 then.
template <class T> void large(const Stream& stream, T* values, std::size_t count)
{
  constexpr T k_scale{64};
  constexpr std::array k_middles{0, 0, -1, -2, -4, 2};
  const T middle = k_scale * static_cast<T>(k_middles[stream.seed % k_middles.size()]);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = middle + k_scale * values[i];
  }
}

// Whoever takes what looks empty, or alike, for all of it is wrong about the few others.
template <class T> void sparse(Stream& stream, T* values, std::size_t count)
{
  constexpr T k_share{1.0 / 32};
  const bool zeros = (stream.seed & 1) != 0;
  const bool units = (stream.seed & 2) != 0; // sums of some of them are nothing, too
  const T usual = static_cast<T>(stream.seed / 2 % 15) - T(7);
  const T other = usual + static_cast<T>(stream.seed / 64 % 9) + T(1);
  constexpr T k_jitter{0x1p-8}; // equal terms would be allowed rounding errors of one sign
  T choice[k_chunk];
  draw_uniform(stream.random, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool rare = choice[i] < k_share;
    const T alone = units ? std::copysign(T(1), values[i]) : values[i];
    values[i] = zeros ? (rare ? alone : std::copysign(T(0), values[i])) : (rare ? other : usual) + k_jitter * values[i];
  }
}

// In a product of such matrices some elements of the output are sums of small terms only, while others are not. Sums
// and differences of whole blocks (as in Strassen's algorithm) lose them.
template <class T> void quadrants(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t rows = stream.elements / stream.row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool lower = index / stream.row >= rows / 2, right = index % stream.row >= stream.row / 2;
    const bool small = (lower != right) == (stream.position % 2 == 0);
    values[i] *= small ? T(0x1p-20) : T(1);
  }
}

// Or below what is taken for the lowest number, but so that times log2(e) it is one. Where products of that overflow,
// nothing is held against anyone; f64 has no wider type to tell.
template <class T> void extreme(const Stream& stream, T* values, std::size_t count)
{
  if (stream.seed % 2 != 0 || stream.type != DataType::f32) {
    return scale(values, count, static_cast<T>(extreme_magnitude(stream.type)));
  }
  const T low = -static_cast<T>(largest_value(stream.type)) / T(2);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = low * (T(1) - std::fabs(values[i]) / T(16));
  }
}

// Scores that must not count, as in attention: among ordinary ones, not behind them.
template <class T> void masked(Stream& stream, T* values, std::size_t count)
{
  const T share = T(0.1) + T(0.5) * static_cast<T>(stream.seed % 64) / T(64);
  const T magnitude = static_cast<T>(extreme_magnitude(stream.type));
  T choice[k_chunk];
  draw_uniform(stream.random, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = choice[i] < share ? -magnitude * (T(1) - choice[i]) : values[i];
  }
}

// Whoever stops a few elements early has missed nearly all of a sum.
template <class T> void late(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr T k_small{0x1p-20}; // all of them together are less than the last bit of the others'
  const std::int64_t few =
    std::clamp<std::int64_t>(stream.elements / 8, 1, 1 + static_cast<std::int64_t>(stream.seed % 64));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= first + static_cast<std::int64_t>(i) < stream.elements - few ? k_small : T(1);
  }
}

// 32 random bits, the same for all elements of a row.
std::uint64_t drawn_for_row_of(const Stream& stream, std::int64_t index)
{
  const auto row = static_cast<std::uint64_t>(index / stream.row);
  return (row * 0x9e3779b97f4a7c15U ^ stream.seed) * 0xbf58476d1ce4e5b9U >> 32;
}

// Numbers that have nothing in common for numbers that have much (splitmix64's last steps).
std::uint64_t scattered(std::uint64_t number)
{
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

// Or rows that are the same from either end, as filters often are.
template <class T> void small_integers(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool mirrored = stream.seed % 4 == 0;
  for (std::size_t i = 0; i < count && !mirrored; ++i) {
    values[i] = std::floor(values[i] * T(4)) - T(1);
  }
  for (std::size_t i = 0; i < count && mirrored; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t column = std::min(index % stream.row, stream.row - 1 - index % stream.row);
    const std::uint64_t of_row = drawn_for_row_of(stream, index) << 32;
    values[i] = static_cast<T>(scattered(of_row ^ static_cast<std::uint64_t>(column)) % 4) - T(1);
  }
}

// What holds of one row holds of no other.
template <class T> void own_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr int k_lowest = -4, k_highest = 20;
  const int steps = is_float(stream.type) && stream.type != DataType::f16 ? k_highest - k_lowest + 1 : 8;
  const T spread = (stream.set_seed & 1) != 0 ? T(0x1p-6) : T(0x1p-11);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T middle = std::ldexp(drawn % 2 == 0 ? T(1) : T(-1),
                                k_lowest + static_cast<int>(drawn / 2 % static_cast<std::uint64_t>(steps)));
    values[i] = middle + middle * values[i] * spread;
  }
}

// What outweighs all others in one tensor is nothing in another.
template <class T> void first_row(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::array k_large{T(8), T(16), T(32)}, k_small{T(0x1p-20), T(0x1p-10), T(0x1p-20)};
  const std::uint64_t way = (stream.set_seed + stream.position) % 3;
  const std::uint64_t drawn = stream.set_seed / 4 % 3;
  const T factor = way == 0 ? T(1) : way == 1 ? k_large[drawn] : k_small[drawn];
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= first + static_cast<std::int64_t>(i) < stream.row ? factor : T(1);
  }
}

// From 0 to 1, scrambled: the same for the same two numbers.
double share_of(std::uint64_t seed, std::uint64_t which)
{
  return Random(seed ^ (which + 1) * 0x9e3779b97f4a7c15U).uniform();
}

// A level that changes evenly, or all at once, from one end of an axis to the other.
template <class T> class Trend {
public:
  Trend(std::uint64_t seed, std::uint64_t axis, std::int64_t extent)
    : m_from(static_cast<T>(share_of(seed, 4 * axis) * 4 - 2)),
      m_to(static_cast<T>(share_of(seed, 4 * axis + 1) * 4 - 2)),
      m_step(static_cast<std::int64_t>(share_of(seed, 4 * axis + 2) * static_cast<double>(extent))), m_extent(extent),
      m_even(share_of(seed, 4 * axis + 3) < 0.5)
  {
  }

  T at(std::int64_t index) const
  {
    const T share = m_even ? static_cast<T>(index) / static_cast<T>(m_extent) : index < m_step ? T(0) : T(1);
    return m_from + (m_to - m_from) * share;
  }

private:
  T m_from, m_to;
  std::int64_t m_step, m_extent;
  bool m_even;
};

// A part of a sum says nothing about the rest, nor one element about whether its neighbours have the same sign.
template <class T> void trends(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t rows = std::max<std::int64_t>(stream.elements / stream.row, 1);
  const Trend<T> down(stream.seed, 0, rows), along(stream.seed, 1, stream.row);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    values[i] = down.at(index / stream.row) + along.at(index % stream.row) + values[i] / T(16);
  }
}

// What comes out of other kernels: nothing above zero, or nothing below it.
template <class T> void rectified(const Stream& stream, T* values, std::size_t count)
{
  const bool positive = stream.seed % 2 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = positive == (values[i] > T(0)) ? values[i] : std::copysign(T(0), values[i]);
  }
}

// Whoever leaves out the maximum where "exp() cannot overflow yet" forgets the sum.
template <class T> void brim(const Stream& stream, T* values, std::size_t count)
{
  const double edge = is_float(stream.type) ? std::log(largest_value(stream.type)) : 88;
  const T middle = static_cast<T>(edge * (1 - 0.1 * share_of(stream.set_seed, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = middle + values[i] / T(4);
  }
}

// Rows of all sizes: the least of them outweighs, multiplied by what is nearly nothing elsewhere, all others.
template <class T> void wide_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool narrow = stream.type == DataType::f16 || !is_float(stream.type);
  const int span = narrow ? 4 : stream.type == DataType::f64 ? 220 : 24; // f64: beyond what a float holds
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    values[i] = std::ldexp(values[i], static_cast<int>(drawn % static_cast<std::uint64_t>(2 * span + 1)) - span);
  }
}

// Ones that are none: their sum and, but for the half types, that of their squares say that they are.
template <class T> void nearly_ones(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const int bits = stream.type == DataType::f64 ? 26 : stream.type == DataType::f32 ? 12 : 5;
  const T apart = std::ldexp(T(1), -bits - static_cast<int>(stream.seed / 4 % 3));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = T(1) + ((first + static_cast<std::int64_t>(i)) % 2 == 0 ? apart : -apart);
  }
}

// The last bits of such values are as large as other families' values.
template <class T> void far_off(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  if ((stream.seed & 2) != 0 && is_float(stream.type)) {
    return nearly_ones(stream, values, count, first);
  }
  const double magnitude = extreme_magnitude(stream.type);
  const T middle = static_cast<T>((stream.seed & 1) != 0 ? -magnitude : magnitude);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = middle + middle * values[i] / T(64);
  }
}

// One mixed call in four: tensors of one shape are the same but for some rows.
bool are_twins(const Stream& stream)
{
  return stream.set_seed % 4 == 0;
}

template <class T> void twins(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    values[i] *= drawn % 8 == 0 ? static_cast<T>(stream.position + 1) : T(1);
  }
}

// One mixed call in four: what is far below in one tensor is as much larger in the next, for the same rows. An
// exponential of the first makes of both about as much as of the others.
bool are_traded(const Stream& stream)
{
  return stream.set_seed % 4 == 1 && is_float(stream.type);
}

template <class T> void traded(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::array k_runs{1, 8, 32, 64};
  const std::uint64_t drawn = stream.set_seed / 4;
  const std::uint64_t role = (drawn + stream.position) % 3;
  const std::int64_t run = k_runs[drawn / 3 % 4];
  const int steps = static_cast<int>(drawn / 12 % 4);
  const T depth = std::ldexp(T(1), (stream.type == DataType::f16 ? 0 : 3) + steps); // up to 64, of f16 up to 8
  const T height = std::exp(depth);
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::uint64_t>((first + static_cast<std::int64_t>(i)) / stream.row / run);
    const bool marked = scattered(block ^ stream.set_seed << 8) % 4 == 0;
    values[i] = !marked ? values[i] : role == 1 ? values[i] - depth : role == 2 ? values[i] * height : values[i];
  }
}

// From 2^-10 down to the 0.4th power of the smallest normal number.
double tiny_magnitude(const Stream& stream)
{
  constexpr int k_largest = -10;
  const int smallest =
    is_float(stream.type) ? static_cast<int>(0.4 * std::log2(smallest_normal(stream.type))) : k_largest;
  const int steps = std::max(k_largest - std::max(smallest, -50), 0);
  return std::ldexp(1.0, k_largest - static_cast<int>(stream.seed % static_cast<std::uint64_t>(steps + 1)));
}

// Integers go close to the largest byte, so that sums of their products soon need more than 24 bits.
double shift_of(DataType type)
{
  return is_float(type) || type == DataType::boolean ? 5 : 122;
}

template <class T> void make_family(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::size_t drawn = (count + k_lanes - 1) / k_lanes * k_lanes;
  if (stream.family == ValueFamily::uniform || stream.family == ValueFamily::small_integers) {
    draw_uniform(stream.random, values, drawn);
  } else {
    draw_normal(stream.random, values, drawn);
  }
  switch (stream.family) {
  case ValueFamily::normal:
  case ValueFamily::uniform:
    return;
  case ValueFamily::tiny:
    return scale(values, count, static_cast<T>(tiny_magnitude(stream)));
  case ValueFamily::large:
    return large(stream, values, count);
  case ValueFamily::shifted:
    for (std::size_t i = 0; i < count; ++i) {
      values[i] += static_cast<T>(shift_of(stream.type));
    }
    return;
  case ValueFamily::heavy_tail:
    return heavy_tail(stream, values, drawn);
  case ValueFamily::small_integers:
    return small_integers(stream, values, count, first);
  case ValueFamily::one_hot:
    return one_hot(stream, values, count, first);
  case ValueFamily::cancellation:
    return cancellation(stream, values, count, first);
  case ValueFamily::subnormals:
    return scale(values, count, static_cast<T>(smallest_normal(stream.type) / 16));
  case ValueFamily::signed_zeros:
    return signed_zeros(stream, values, drawn);
  case ValueFamily::extreme:
    return extreme(stream, values, count);
  case ValueFamily::odd_suffix:
    return odd_suffix(stream, values, count, first);
  case ValueFamily::spikes:
    return spikes(stream, values, count, first);
  case ValueFamily::far_off:
    return far_off(stream, values, count, first);
  case ValueFamily::sparse:
    return sparse(stream, values, drawn);
  case ValueFamily::quadrants:
    return quadrants(stream, values, count, first);
  case ValueFamily::masked:
    return masked(stream, values, drawn);
  case ValueFamily::late:
    return late(stream, values, count, first);
  case ValueFamily::own_rows:
    return own_rows(stream, values, count, first);
  case ValueFamily::first_row:
    return first_row(stream, values, count, first);
  case ValueFamily::rounded:
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::nearbyint(values[i] * T(32)) / T(32);
    }
    return;
  case ValueFamily::trends:
    return trends(stream, values, count, first);
  case ValueFamily::rectified:
    return rectified(stream, values, count);
  case ValueFamily::brim:
    return brim(stream, values, count);
  case ValueFamily::mixed: // its own part of it
    return are_twins(stream)    ? twins(stream, values, count, first)
           : are_traded(stream) ? traded(stream, values, count, first)
                                : wide_rows(stream, values, count, first);
  }
}

template <class T> void make_chunk(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  make_family(stream, values, count, first);
  if (stream.factor != 1) {
    scale(values, count, static_cast<T>(stream.factor));
  }
}

// What one tensor of a mixed call gets, unless all of them belong together: half of the time plain values, so that the
// others decide.
void draw_mixed(Stream& stream)
{
  constexpr std::array k_parts{ValueFamily::mixed,     ValueFamily::mixed,  ValueFamily::trends,
                               ValueFamily::shifted,   ValueFamily::tiny,   ValueFamily::heavy_tail,
                               ValueFamily::one_hot,   ValueFamily::sparse, ValueFamily::cancellation,
                               ValueFamily::quadrants, ValueFamily::late,   ValueFamily::uniform};
  constexpr int k_factors = 5; // 1 to 16
  if (are_twins(stream)) {
    stream.random = LaneRandom(stream.set_seed);
    stream.seed = stream.set_seed;
    return;
  }
  if (are_traded(stream)) {
    return;
  }
  Random random(stream.seed);
  stream.family = random.below(2) == 0 ? ValueFamily::normal : k_parts[random.below(k_parts.size())];
  stream.factor = std::ldexp(1.0, static_cast<int>(random.below(stream.type == DataType::f16 ? 2 : k_factors)));
}

// Maps all numbers into an interval with two ends: 0 to its middle, far values close to the ends. The middle of
// positive numbers is their geometric one, so that products of many stay in range.
template <class T> void squeeze_inside(const Domain& domain, T* values, std::size_t count)
{
  const T low = static_cast<T>(domain.low);
  const T high = static_cast<T>(domain.high);
  const bool geometric = domain.low > 0;
  const T from = geometric ? std::log(low) : low;
  const T width = geometric ? std::log(high) - from : high - low;
  for (std::size_t i = 0; i < count; ++i) {
    const T share = T(0.5) + T(0.5) * values[i] / (T(1) + std::fabs(values[i]));
    const T value = from + width * share;
    values[i] = std::clamp(geometric ? std::exp(value) : value, low, high);
  }
}

// Mirrors values at a bound that they cross, so that a one-sided domain keeps the family's shape.
template <class T> void keep_inside(const Domain& domain, T* values, std::size_t count)
{
  if (domain.is_finite()) {
    return squeeze_inside(domain, values, count);
  }
  const T low = static_cast<T>(domain.low);
  const T high = static_cast<T>(domain.high);
  for (std::size_t i = 0; i < count; ++i) {
    T value = values[i];
    value = value < low ? low + (low - value) : value;
    value = value > high ? high - (value - high) : value;
    values[i] = std::clamp(value, low, high);
  }
}

// Where in its domain an integer lies, from 0 up to 1, for a `share` that is spread evenly. Indices and lengths that
// are crowded, sorted or all the same are what a candidate that counts on an even spread gets wrong.
double integer_share(const Stream& stream, double share, std::int64_t index)
{
  const double place = static_cast<double>(index) / static_cast<double>(stream.elements);
  const double drawn = static_cast<double>(stream.seed % 1009) / 1009;
  switch (stream.family) {
  case ValueFamily::tiny:
    return 0;
  case ValueFamily::large:
    return 1;
  case ValueFamily::shifted: // sorted
    return place;
  case ValueFamily::heavy_tail: // crowded at the low end
    return share * share * share * share;
  case ValueFamily::one_hot: // all the same
  case ValueFamily::far_off:
    return drawn;
  case ValueFamily::cancellation: // the two ends in turn
    return static_cast<double>(index % 2);
  case ValueFamily::odd_suffix:
    return index < stream.elements - stream.elements / 8 ? share : drawn;
  case ValueFamily::spikes:
    return static_cast<std::uint64_t>(index) == stream.seed % static_cast<std::uint64_t>(stream.elements) ? share
                                                                                                          : drawn;
  default:
    return share;
  }
}

// One more than the last; of some seeds one pair of neighbours in eight has changed places.
std::uint64_t in_turn_at(const Stream& stream, std::int64_t index)
{
  const auto pair = static_cast<std::uint64_t>(index + 1) / 2; // 1 and 2, 3 and 4, ...
  const bool swapped = stream.seed % 16 >= 8 && (pair ^ stream.seed / 16) * 0x9e3779b97f4a7c15U >> 61 == 0;
  return static_cast<std::uint64_t>(index) + (swapped && index > 0 ? (index % 2 == 1 ? 1 : -1) : 0);
}

// Integers with a finite domain (indices, lengths).
void spread_integers(Stream& stream, const Domain& domain, double* values, std::size_t count, std::int64_t first)
{
  draw_uniform(stream.random, values, (count + k_lanes - 1) / k_lanes * k_lanes);
  const double low = std::ceil(domain.low);
  const double high = std::floor(domain.high);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool in_turn = stream.family == ValueFamily::rounded && values[i] * 40 >= 1;
    values[i] = in_turn
                  ? low + std::fmod(static_cast<double>(in_turn_at(stream, index) + stream.seed % 8), high - low + 1)
                  : std::min(low + std::floor(integer_share(stream, values[i], index) * (high - low + 1)), high);
  }
}

void place(std::span<std::byte> to, std::span<const std::byte> from, Store store)
{
  if (store == Store::streaming) {
    copy_streaming(to, from);
  } else {
    std::memcpy(to.data(), from.data(), from.size());
  }
}

template <class T> void fill_floats(std::span<std::byte> bytes, const Argument& argument, Stream& stream, Store store)
{
  alignas(64) T values[k_chunk];
  for (std::int64_t first = 0; first < stream.elements; first += k_chunk) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(k_chunk, stream.elements - first));
    make_chunk(stream, values, count, first);
    if (!argument.domain.is_unbounded()) {
      keep_inside(argument.domain, values, count);
    }
    place(bytes.subspan(static_cast<std::size_t>(first) * sizeof(T), count * sizeof(T)),
          std::as_bytes(std::span(values, count)), store);
  }
}

// The types that no hardware instruction here makes quickly: element by element.
void fill_converted(std::span<std::byte> bytes, const Argument& argument, Stream& stream, Store store)
{
  const std::size_t size = size_of(argument.type);
  alignas(64) double values[k_chunk];
  alignas(64) std::byte packed[k_chunk * sizeof(double)];
  const bool spread = !is_float(argument.type) && argument.domain.is_finite();
  for (std::int64_t first = 0; first < stream.elements; first += k_chunk) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(k_chunk, stream.elements - first));
    if (spread) {
      spread_integers(stream, argument.domain, values, count, first);
    } else {
      make_chunk(stream, values, count, first);
      keep_inside(argument.domain, values, count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      store_element(argument.type, packed + i * size, values[i]);
    }
    place(bytes.subspan(static_cast<std::size_t>(first) * size, count * size),
          std::span<const std::byte>(packed, count * size), store);
  }
}

constexpr std::array k_families{
  ValueFamily::normal,       ValueFamily::uniform,    ValueFamily::tiny,         ValueFamily::large,
  ValueFamily::shifted,      ValueFamily::heavy_tail, ValueFamily::one_hot,      ValueFamily::small_integers,
  ValueFamily::cancellation, ValueFamily::subnormals, ValueFamily::signed_zeros, ValueFamily::extreme,
  ValueFamily::odd_suffix,   ValueFamily::spikes,     ValueFamily::far_off,      ValueFamily::sparse,
  ValueFamily::quadrants,    ValueFamily::masked,     ValueFamily::late,         ValueFamily::own_rows,
  ValueFamily::first_row,    ValueFamily::rounded,    ValueFamily::trends,       ValueFamily::rectified,
  ValueFamily::brim,         ValueFamily::mixed,
};

} // namespace

std::span<const ValueFamily> all_value_families()
{
  return k_families;
}

std::string_view name_of(ValueFamily family)
{
  switch (family) {
  case ValueFamily::normal:
    return "normal";
  case ValueFamily::uniform:
    return "uniform";
  case ValueFamily::tiny:
    return "tiny";
  case ValueFamily::large:
    return "large";
  case ValueFamily::shifted:
    return "shifted";
  case ValueFamily::heavy_tail:
    return "heavy tail";
  case ValueFamily::small_integers:
    return "small integers";
  case ValueFamily::one_hot:
    return "one-hot";
  case ValueFamily::cancellation:
    return "cancellation";
  case ValueFamily::subnormals:
    return "subnormals";
  case ValueFamily::signed_zeros:
    return "signed zeros";
  case ValueFamily::extreme:
    return "extreme";
  case ValueFamily::odd_suffix:
    return "odd suffix";
  case ValueFamily::spikes:
    return "spikes";
  case ValueFamily::far_off:
    return "far off";
  case ValueFamily::sparse:
    return "sparse";
  case ValueFamily::quadrants:
    return "quadrants";
  case ValueFamily::masked:
    return "masked";
  case ValueFamily::late:
    return "late";
  case ValueFamily::own_rows:
    return "own rows";
  case ValueFamily::first_row:
    return "first row";
  case ValueFamily::rounded:
    return "rounded";
  case ValueFamily::trends:
    return "trends";
  case ValueFamily::rectified:
    return "rectified";
  case ValueFamily::brim:
    return "brim";
  case ValueFamily::mixed:
    return "mixed";
  }
  return "?";
}

void fill_argument(std::span<std::byte> bytes, const Argument& argument, std::size_t position, std::int64_t last_extent,
                   ValueFamily family, std::uint64_t seed, Store store)
{
  const std::uint64_t own_seed = seed ^ (0x9e3779b97f4a7c15U * (position + 1));
  Stream stream{LaneRandom(own_seed),
                family,
                argument.type,
                position,
                std::max<std::int64_t>(last_extent, 1),
                static_cast<std::int64_t>(bytes.size() / size_of(argument.type)),
                own_seed,
                seed};
  if (family == ValueFamily::mixed) {
    draw_mixed(stream);
  }
  switch (argument.type) {
  case DataType::f32:
    return fill_floats<float>(bytes, argument, stream, store);
  case DataType::f64:
    return fill_floats<double>(bytes, argument, stream, store);
  default:
    return fill_converted(bytes, argument, stream, store);
  }
}

bool has_float_inputs(const Kernel& kernel)
{
  return std::ranges::any_of(kernel.inputs(),
                             [&](std::size_t input) { return is_float(kernel.arguments[input].type); });
}

void copy_streaming(std::span<std::byte> to, std::span<const std::byte> from)
{
#if defined(__SSE2__)
  std::byte* target = to.data();
  const std::byte* source = from.data();
  std::size_t left = from.size();
  const auto misaligned = reinterpret_cast<std::uintptr_t>(target) & 15;
  const std::size_t head = std::min(left, misaligned == 0 ? 0 : 16 - misaligned);
  std::memcpy(target, source, head);
  target += head;
  source += head;
  left -= head;
  for (; left >= 16; left -= 16, target += 16, source += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target), _mm_loadu_si128(reinterpret_cast<const __m128i*>(source)));
  }
  std::memcpy(target, source, left);
  _mm_sfence();
#else
  std::memcpy(to.data(), from.data(), from.size());
#endif
}

void drop_from_caches(std::span<const std::byte> bytes)
{
#if defined(__SSE2__)
  constexpr std::size_t k_line = 64;
  for (std::size_t offset = 0; offset < bytes.size(); offset += k_line) {
    _mm_clflush(bytes.data() + offset);
  }
  _mm_mfence();
#else
  static_cast<void>(bytes);
#endif
}

} // namespace hone
