#include "inputs/value_families.h"

#include "inputs/elements.h"
#include "inputs/exact_rows.h"
#include "inputs/value_structures.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hone {
namespace {

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

std::int64_t rows_of(const Stream& stream)
{
  return std::max<std::int64_t>(stream.elements / stream.row, 1);
}

template <class T> void one_hot(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::array<std::uint64_t, 6> k_strides{7, 7, 7, 8, 32, 64};
  constexpr std::int64_t k_tail = 20; // of one call in two: where a row does not fill vectors
  const bool at_end = scattered(stream.set_seed) % 2 == 0;
  const auto begin = static_cast<std::uint64_t>(at_end ? std::max<std::int64_t>(stream.row - k_tail, 0) : 0);
  const std::uint64_t columns = static_cast<std::uint64_t>(stream.row) - begin;
  const std::uint64_t stride = k_strides[stream.seed / 1024 % k_strides.size()];
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row;
    // An odd stride visits the columns like a permutation, a power of two the same lane of vectors; the seed says where
    // it starts.
    const auto hot = begin + (static_cast<std::uint64_t>(row) * stride + stream.seed % 1009) % columns;
    values[i] = static_cast<std::uint64_t>(index % stream.row) == hot ? T(1) : T(0);
  }
}

// Of one sign in the first tensor, and in the later half of the others of the other one: what a sum has gained by its
// middle it loses by its end.
template <class T> void there_and_back(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t rows = rows_of(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const T magnitude = T(100) + values[i] * T(8);
    values[i] = stream.position != 0 && row >= rows / 2 ? -magnitude : magnitude;
  }
}

// Only the first tensor alternates, or the signs of a product's factors would cancel each other.
template <class T> void cancellation(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  if (!is_float(stream.type) && stream.set_seed % 2 == 0) {
    return there_and_back(stream, values, count, first);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool negative = stream.position == 0 && ((first + static_cast<std::int64_t>(i)) & 1) != 0;
    const T magnitude = T(1000) + values[i];
    values[i] = negative ? -magnitude : magnitude;
  }
}

// In every other row, from the first or the second on, nothing is above the zeros, so that which of them comes first is
// all that tells them apart.
template <class T> void signed_zeros(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  T choice[k_chunk];
  draw_uniform(stream.random, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::uint64_t>((first + static_cast<std::int64_t>(i)) / stream.row);
    const bool below = (row + stream.set_seed) % 2 != 0;
    if (choice[i] < T(0.75)) {
      values[i] = std::copysign(T(0), values[i]);
    } else if (below) {
      values[i] = -std::fabs(values[i]);
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

// The places that a look at a few elements of a row would take: its ends and its middle, the first ones, its quarters.
std::vector<std::int64_t> telling_places(const Stream& stream)
{
  const std::int64_t row = stream.row;
  switch (stream.seed % 3) {
  case 0:
    return {0, row / 2, row - 1};
  case 1:
    return {0, 1, 2};
  default:
    return {0, row / 4, row / 2, 3 * row / 4};
  }
}

// All but one of these places hold outliers; or all of them do what the others, which are alike, do not.
template <class T> void framed(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  std::vector<std::int64_t> places = telling_places(stream);
  const T height = std::ldexp(T(1), 6 + static_cast<int>(stream.seed / 32 % (stream.type == DataType::f16 ? 4 : 10)));
  const bool others_alike = is_float(stream.type) && stream.seed / 16 % 2 == 0;
  if (!others_alike) {
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(stream.seed / 512 % places.size()));
  }
  const T spread = std::ldexp(height, -static_cast<int>(stream.seed / 512 % 6));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    const bool telling = std::ranges::find(places, column) != places.end();
    values[i] = others_alike ? height + values[i] * (telling ? spread : height * T(0x1p-10))
                             : values[i] + (telling ? height : T(0));
  }
}

// The exponential of one element is as much as those of the others together, or far more: up to where they are nearly
// nothing, in long rows up to where each of the others is still a few units in the peak's last place, or one. These
// differ: were they alike, a chain of additions that begins with the peak would round all of them the same way. In one
// call of two another element of the row is one unit of the last place below the peak.
template <class T> void peaks(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::int64_t k_long_row = 64;
  const T many = std::log(static_cast<T>(stream.row) + T(1));
  const T drawn = many * (T(1) + static_cast<T>(stream.seed / 4 % 64) / T(24));
  const T most = stream.seed / 256 % 2 == 0 ? T(14.5) : T(15.6);
  const T height = stream.row > k_long_row ? std::min(drawn, std::max(many, most)) : drawn;
  const bool in_pairs = stream.row > 1 && scattered(stream.seed) % 2 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row, column = index % stream.row;
    const std::int64_t peak = peak_of_row(stream, row, stream.row);
    if (!in_pairs) {
      values[i] = values[i] * T(0.5) + (column == peak ? height : T(0));
      continue;
    }
    const T top = row % 2 == 0 ? height : std::nextafter(height, T(0)); // either of the last bits
    const auto distance = 1
                          + static_cast<std::int64_t>(scattered(stream.seed ^ static_cast<std::uint64_t>(row))
                                                      % static_cast<std::uint64_t>(stream.row - 1));
    values[i] = column == peak                             ? top
                : column == (peak + distance) % stream.row ? std::nextafter(top, T(0))
                                                           : values[i] * T(0.5);
  }
}

// Whoever computes a sum from a part of its terms misses the spike or counts it several times. One chain of additions
// does not: its rounding errors grow with the sum, which about doubles.
template <class T> void spikes(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t span = stream.seed % 2 == 0 ? stream.row : stream.elements;
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

// Whether it has powers of two enough to tell sizes apart.
bool ranges_far(DataType type)
{
  return is_float(type) && type != DataType::f16;
}

// f32 or f64: two numbers of a narrower type make one, and whole numbers of many bits are exact.
bool is_wide_float(DataType type)
{
  return type == DataType::f32 || type == DataType::f64;
}

// From 0 to 1, scrambled: the same for the same two numbers.
double share_of(std::uint64_t seed, std::uint64_t which)
{
  return Random(seed ^ (which + 1) * 0x9e3779b97f4a7c15U).uniform();
}

// Each row evenly between two numbers of its own, of up to 128.
template <class T> void in_a_range(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  draw_uniform(stream.random, values, (count + k_lanes - 1) / k_lanes * k_lanes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T low = static_cast<T>(drawn % 256) - T(128), high = static_cast<T>(drawn / 256 % 256) - T(128);
    values[i] = low + (high - low) * values[i];
  }
}

// Also all negative, or nearly: where exponents are taken, a maximum is not near 0 then.
template <class T> void large(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  if (stream.seed / 8 % 2 == 0) {
    return in_a_range(stream, values, count, first);
  }
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

// Some rows in turn as they are, as many small: whoever makes sums across the border of two such bands has nothing left
// of the small one's.
template <class T> void bands(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::uint64_t k_widest = 40;
  const auto width = static_cast<std::int64_t>(1 + stream.seed / 4 % k_widest);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    values[i] *= row / width % 2 == 0 ? T(0x1p-20) : T(1);
  }
}

// Zeros, but for one element of each row and what lies behind its middle: a sum so far is nothing beside what follows.
template <class T> void late_halves(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t alone = static_cast<std::int64_t>(stream.seed / 4 % 4) * stream.row / 16;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    values[i] = column == alone ? T(1) : column < stream.row / 2 ? T(0) : std::fabs(values[i]) + T(0.5);
  }
}

// Zeros (or ones), but for one rectangle of up to a quarter of the columns, or a few.
template <class T> void islands(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const auto height = static_cast<std::int64_t>(2 + stream.seed / 4 % 24);
  const std::int64_t blocks = (stream.elements / stream.row + height - 1) / height;
  const auto surely = static_cast<std::int64_t>(scattered(stream.seed) % static_cast<std::uint64_t>(blocks));
  const T sea = static_cast<T>(stream.seed / 128 % 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t block = index / stream.row / height, column = index % stream.row;
    const std::uint64_t drawn = scattered(stream.seed ^ static_cast<std::uint64_t>(block) << 20);
    const auto begin = static_cast<std::int64_t>(drawn / 64 % static_cast<std::uint64_t>(stream.row));
    const std::int64_t width = stream.row >> (2 + drawn / 16 % 3);
    const bool island = (block == surely || drawn % 16 == 0) && column >= begin && column <= begin + width;
    values[i] = island ? sea + values[i] : sea;
  }
}

// What lies beside each other has little in common.
template <class T> void patches(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  switch (stream.seed % 3) {
  case 0:
    return bands(stream, values, count, first);
  case 1:
    return late_halves(stream, values, count, first);
  default:
    return islands(stream, values, count, first);
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

// Integers go close to the largest byte, so that sums of their products soon need more than 24 bits.
double shift_of(DataType type)
{
  return is_float(type) || type == DataType::boolean ? 5 : 122;
}

// Far from 0. Or, in one call of four, a little below where two numbers of a narrower type (bf16 or half precision; of
// f64 f32) begin to round up: whoever multiplies such pairs and leaves the product of the small halves out has left out
// as much as can be, of one sign.
template <class T> void shifted(const Stream& stream, T* values, std::size_t count)
{
  if (!is_wide_float(stream.type) || stream.set_seed % 4 != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      values[i] += static_cast<T>(shift_of(stream.type));
    }
    return;
  }
  const int places = stream.type == DataType::f64 ? 24 : stream.set_seed / 4 % 2 == 0 ? 8 : 11;
  const T low = std::ldexp(T(1), -places);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = T(1) + low * (T(1) - std::min(std::fabs(values[i]) + T(0.01), T(4)) / T(8));
  }
}

// Or all near an end of the bytes, as those are that were quantised too boldly; or beyond what is taken for the lowest
// number, or the largest, but so that times log2(e) it is one. Where products of that overflow, nothing is held against
// anyone; f64 has no wider type to tell.
template <class T> void extreme(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool saturated = stream.type == DataType::i8 && stream.set_seed % 4 != 0;
  const bool at_bottom = (stream.set_seed / 4 >> (stream.position % 2) & 1) != 0; // products of either sign
  const T end = at_bottom ? T(-128) : T(127);
  for (std::size_t i = 0; i < count && saturated; ++i) {
    values[i] = end - std::copysign(std::floor(std::min(std::fabs(values[i]), T(3))), end);
  }
  if (saturated) {
    return;
  }
  // One call in three: every other tensor near the largest number, and those between as much smaller.
  const bool traded = stream.type == DataType::f32 && stream.set_seed % 3 == 0;
  if (traded && (stream.set_seed / 3 + stream.position) % 2 == 0) {
    const std::uint64_t drawn =
      stream.set_seed / 6; // normal numbers, all of them, and one call in two hardly more than that
    const T small = std::ldexp(T(1), drawn % 2 == 0 ? -124 : -104 - static_cast<int>(drawn / 2 % 21));
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::copysign(small * (T(1) + std::fabs(values[i]) / T(16)), values[i]);
    }
    return;
  }
  if (!traded && (stream.seed % 2 != 0 || stream.type != DataType::f32)) {
    // Far from overflow; or a row's sum of squares is near the largest number.
    const int half_of_row = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(stream.row)) + 1) / 2;
    const bool near = stream.type == DataType::f32 && stream.seed / 2 % 2 == 0;
    const T nearest = std::sqrt(static_cast<T>(largest_value(stream.type)) * T(0.6) / static_cast<T>(stream.row));
    return scale(values, count,
                 !near                      ? static_cast<T>(extreme_magnitude(stream.type))
                 : stream.seed / 4 % 2 == 0 ? nearest
                                            : std::ldexp(T(1), 61 - half_of_row));
  }
  const T half = static_cast<T>(largest_value(stream.type)) / T(2);
  const T far = stream.seed / 2 % 2 == 0 ? -half : half;
  // One row in four, or as many that follow one another, hold the lowest number and nothing else, as rows do that are
  // masked from end to end; or numbers hardly below the largest.
  const auto together = static_cast<std::int64_t>(1) << stream.set_seed / 8 % 4;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const bool at_end = row / together % 4 == 1;
    values[i] = !at_end   ? far * (T(1) - std::fabs(values[i]) / T(16))
                : far < 0 ? T(2) * far
                          : T(2) * far * (T(1) - std::fabs(values[i]) / T(64));
  }
}

// Scores that must not count, as in attention: among ordinary ones, not behind them. Those of f64 may be so large that
// the product of two of them can just be told.
template <class T> void masked(Stream& stream, T* values, std::size_t count)
{
  const T share = T(0.1) + T(0.5) * static_cast<T>(stream.seed % 64) / T(64);
  const bool vast = stream.type == DataType::f64 && stream.set_seed % 2 == 0;
  const T magnitude = static_cast<T>(vast ? 0x1p502 : extreme_magnitude(stream.type));
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

// In one call of four; of bf16, which tells no others apart above them, in one of two.
bool are_of_a_byte(const Stream& stream)
{
  return stream.type == DataType::bf16 ? stream.set_seed % 2 == 0
                                       : is_wide_float(stream.type) && stream.set_seed % 4 == 0;
}

// The size of whole numbers: so large that sums are beyond 24 bits, or 32; of a long tensor in most calls so that a
// sum of products along all of it is hardly beyond 32. In one call of four, but of long tensors, all fit 32 bits, but
// not the sum of a dozen products 64.
int bits_of_whole(const Stream& stream)
{
  constexpr std::uint64_t k_steps = 6;
  constexpr int k_long = 14, k_sum = 34, k_nearly_32 = 30, k_of_a_byte = 7; // bits
  const auto longest = static_cast<std::uint64_t>(std::max(stream.row, rows_of(stream)));
  const int length = static_cast<int>(std::bit_width(longest)) - 1;
  if (are_of_a_byte(stream)) {
    return k_of_a_byte;
  }
  if (stream.type == DataType::f32 && length >= k_long) {
    return std::max(1, (k_sum - length) / 2);
  }
  if (is_wide_float(stream.type) && stream.set_seed % 4 == 1) {
    return k_nearly_32;
  }
  const int most = stream.type == DataType::f64   ? 40
                   : stream.type == DataType::f32 ? 22
                                                  : static_cast<int>(k_steps) - 1;
  return most - static_cast<int>(stream.seed / 4 % k_steps);
}

// The largest of whole numbers that are alike, so that a sum of many, or of their products, lies between 2^31 and 2^32,
// or above, and so does what whoever knows the largest takes for its bound; 0 where sums are short, and in one call
// of two.
template <class T> T largest_of_alike(const Stream& stream)
{
  constexpr std::int64_t k_many = 200;
  const T bound =
    stream.set_seed / 32 % 2 == 0 ? T(0x1.8p31) : T(0x1.8p32); // above which there is no 32nd bit, or 33rd
  const bool along_rows = stream.position == 0 || stream.set_seed / 16 % 2 == 0;
  const std::int64_t terms = along_rows ? stream.row : rows_of(stream);
  const std::uint64_t drawn = stream.set_seed / 4 % 3;
  if (stream.type != DataType::f32 || terms < k_many || drawn > 1 || are_of_a_byte(stream)) {
    return T(0);
  }
  const T each = bound / static_cast<T>(terms);
  return std::floor(drawn == 0 ? each : std::sqrt(each));
}

// Whole numbers of one sign, from half of a power of two to twice that. Those between are left out: their squares end
// in few ways, which a chain of additions rounds to one side. Or some that are alike. Below a top all of one size or,
// in one call of two, near it. In half of the calls of bytes they are any byte, with a sign in every
// other tensor.
template <class T> void whole_numbers(const Stream& stream, T* values, std::size_t count)
{
  if (stream.top > 0 && is_wide_float(stream.type)) {
    const T least = stream.set_seed % 2 == 0 ? T(0.94) : T(0.5);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::floor(static_cast<T>(stream.top) * (least + (T(1) - least) * values[i]));
    }
    return;
  }
  const T size = std::ldexp(T(1), bits_of_whole(stream));
  if (are_of_a_byte(stream) && stream.set_seed / 4 % 2 == 0) {
    const T lowest = stream.position % 2 == 0 ? T(0) : -size;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = lowest + std::floor(T(2) * size * values[i]);
    }
    return;
  }
  const T largest = largest_of_alike<T>(stream);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = largest > 0 ? std::floor(largest * (T(0.85) + T(0.15) * values[i]))
                            : std::floor(size * (T(0.5) + T(1.5) * values[i]));
  }
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

// Rows, columns, or where there are few rows elements, of sizes up to 2^47 times one another, from anywhere between the
// smallest normal number and where products and their sums are still numbers.
template <class T> void any_size(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::int64_t k_few_rows = 16;
  constexpr int k_window = 48;
  const bool wide = stream.type == DataType::f64;
  const int half_of_row = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(stream.row)) + 1) / 2;
  const int lowest = wide ? -1000 : -120;
  const int highest = (wide ? 480 : 52) - half_of_row;
  // Beyond either end and back: what lies there is met as often as what lies between.
  const int steps = highest + k_window - lowest;
  const int drawn_base =
    lowest - k_window + 1 + static_cast<int>(scattered(stream.seed) % static_cast<std::uint64_t>(steps));
  const int base = std::clamp(drawn_base, lowest, highest - k_window + 1);
  const bool flat = stream.elements / stream.row < k_few_rows;
  const bool by_columns = !flat && scattered(stream.seed ^ 1) % 3 == 0; // rows are alike, then
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t place = flat ? index : by_columns ? index % stream.row : index / stream.row;
    const std::uint64_t drawn = scattered(static_cast<std::uint64_t>(place) ^ stream.seed << 20);
    const T size = std::ldexp(T(1), base + static_cast<int>(drawn % k_window));
    values[i] = std::copysign(size * (T(1) + std::min(std::fabs(values[i]), T(8)) / T(8)), values[i]);
  }
}

// What holds of one row holds of no other.
template <class T> void own_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr int k_lowest = -4, k_highest = 20;
  const int steps = ranges_far(stream.type) ? k_highest - k_lowest + 1 : 8;
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
  const std::uint64_t drawn = stream.set_seed / 4 % k_large.size();
  const T factor = way == 0 ? T(1) : way == 1 ? k_large[drawn] : k_small[drawn];
  for (std::size_t i = 0; i < count; ++i) {
    values[i] *= first + static_cast<std::int64_t>(i) < stream.row ? factor : T(1);
  }
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

// In four calls of five a ramp rises, or falls, so far along one axis that exponentials of its ends have nothing in
// common, by steps that are small beside that: whoever holds neighbours against each other sees none of it.
template <class T> T long_rise(const Stream& stream, std::uint64_t axis)
{
  constexpr double k_least = 6.5, k_bits = 2; // of its size
  const std::uint64_t drawn = stream.set_seed / 2;
  if (drawn % 5 == 0 || (drawn / 5 % 4 == 0 ? 0U : 1U) != axis) { // mostly along rows
    return T(0);
  }
  const double size = std::exp2(k_least + k_bits * share_of(stream.set_seed, 8));
  return static_cast<T>(drawn / 20 % 4 == 0 ? -size : size);
}

// One element of one row in eight.
template <class T> void raise_some(const Stream& stream, T by, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t end = first + static_cast<std::int64_t>(count);
  for (std::int64_t row = first / stream.row; row * stream.row < end; ++row) {
    const std::uint64_t drawn = drawn_for_row_of(stream, row * stream.row);
    const auto column = static_cast<std::int64_t>(drawn / 8 % static_cast<std::uint64_t>(stream.row));
    const std::int64_t index = row * stream.row + column;
    if (drawn % 8 == 0 && index >= first && index < end) {
      values[index - first] += by;
    }
  }
}

// A part of a sum says nothing about the rest, nor one element about whether its neighbours have the same sign. In one
// call of two an element of one row in eight is above all others: whoever sees a row rise has not seen its largest.
template <class T> void trends(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t rows = rows_of(stream);
  const Trend<T> down(stream.seed, 0, rows), along(stream.seed, 1, stream.row);
  const T rise_down = long_rise<T>(stream, 0), rise_along = long_rise<T>(stream, 1);
  const T down_by = rise_down / static_cast<T>(rows), along_by = rise_along / static_cast<T>(stream.row);
  const T from = std::max(T(0), -rise_down) + std::max(T(0), -rise_along); // never far below 0: 1 + x stays a number
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row, column = index % stream.row;
    values[i] = from + down.at(row) + along.at(column) + down_by * static_cast<T>(row)
                + along_by * static_cast<T>(column) + values[i] / T(16);
  }
  if (stream.set_seed % 2 == 0) {
    raise_some(stream, T(8) + std::fabs(rise_down) + std::fabs(rise_along), values, count, first);
  }
}

// Terms of one sign add up to much, and what is added once, for each column, takes a part of that back: as much
// everywhere, or in each column another part.
template <class T> void opposed(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr double k_most = 10; // bits of its size
  const bool once = stream.position > 0 && stream.elements == stream.row;
  const bool alike = stream.seed % 2 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t which = alike ? 0 : static_cast<std::uint64_t>(first) + i;
    values[i] = once ? -static_cast<T>(std::exp2(k_most * share_of(stream.seed, which))) * (T(1) + values[i] / T(64))
                     : T(0.5) + std::fabs(values[i]);
  }
}

// What comes out of other kernels: nothing above zero, or nothing below it.
template <class T> void rectified(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  if (is_float(stream.type) && stream.set_seed % 2 == 0) {
    return opposed(stream, values, count, first);
  }
  const bool positive = stream.seed % 2 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = positive == (values[i] > T(0)) ? values[i] : std::copysign(T(0), values[i]);
  }
}

// Whoever leaves out the maximum where "exp() cannot overflow yet" forgets the sum. Or some rows near 0, the others far
// enough below for exponentials with few bits, or none.
template <class T> void brim(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const double edge = is_float(stream.type) ? std::log(largest_value(stream.type)) : 88;
  const bool below = stream.set_seed % 2 == 0;
  const T middle = static_cast<T>(edge * (1 - 0.1 * share_of(stream.set_seed, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T depth = static_cast<T>(edge * (0.8 + 0.4 * static_cast<double>(drawn / 4 % 64) / 64));
    const T level = !below ? middle : drawn % 4 == 0 ? T(0) : -depth;
    values[i] = level + values[i] / T(4);
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

// One mixed call in four: tensors of one shape are the same but for some rows, or for all in the middle.
bool are_twins(const Stream& stream)
{
  return stream.set_seed % 4 == 0;
}

template <class T> void twins(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool in_the_middle = stream.set_seed / 4 % 2 == 0;
  const std::int64_t third = rows_of(stream) / 3;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row;
    const bool differs =
      in_the_middle ? row >= third && row < rows_of(stream) - third : drawn_for_row_of(stream, index) % 8 == 0;
    values[i] *= differs ? static_cast<T>(stream.position + 1) : T(1);
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

// One mixed call in four: the later columns of the first tensor are as much smaller as the later rows of the others are
// larger. In a product they count as much as all others.
bool are_seesaw(const Stream& stream)
{
  return stream.set_seed % 4 == 2 && is_float(stream.type);
}

template <class T> void seesaw(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const int most = stream.type == DataType::f16 ? 6 : 48;
  const int bits = 1 + static_cast<int>(stream.set_seed / 4 % static_cast<std::uint64_t>(most));
  const T factor = std::ldexp(T(1), stream.position == 0 ? -bits : bits);
  const std::int64_t rows = rows_of(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const bool later = stream.position == 0 ? index % stream.row >= stream.row / 2 : index / stream.row >= rows / 2;
    values[i] *= later ? factor : T(1);
  }
}

// Below the smallest normal number, or between that and numbers whose squares are normal.
double subnormal_magnitude(const Stream& stream)
{
  const double smallest = smallest_normal(stream.type);
  const auto half = static_cast<std::uint64_t>(-std::ilogb(smallest) / 2); // 0 for integers
  if (stream.seed % 2 == 0 || half == 0) {
    return smallest / 16;
  }
  const std::uint64_t steps = stream.seed / 2 % 2 == 0 ? half : std::min<std::uint64_t>(half, 8);
  return std::ldexp(smallest, static_cast<int>(stream.seed / 4 % steps));
}

// In one call of two with zeros among them: whoever divides by the largest of such a row may have no number left. In
// one of two the two largest of a row are neighbours: whoever scales them down takes them for the same.
template <class T> void subnormals(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const T magnitude = static_cast<T>(subnormal_magnitude(stream));
  const T least = stream.set_seed / 8 % 2 == 0 ? T(0.125) : T(0); // other bits than those that say how small
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::fabs(values[i]) < least ? T(0) : values[i] * magnitude;
  }
  const T top = T(7.75) * magnitude; // above all others
  for (std::size_t i = 0; i < count && stream.row > 1 && stream.set_seed / 2 % 2 == 0; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    const std::int64_t peak = peak_of_row(stream, row, stream.row);
    if (column == peak) {
      values[i] = top;
    } else if (column == (peak + 1 + row % (stream.row - 1)) % stream.row) {
      values[i] = std::nextafter(top, row % 2 == 0 ? T(1) : T(0));
    }
  }
}

// From 2^-10 down to the 0.4th power of the smallest normal number, of f64, whose range has more room, nearly its root;
// in one call of four all tensors as far down.
double tiny_magnitude(const Stream& stream)
{
  constexpr int k_largest = -10;
  const double power = stream.type == DataType::f64 ? 0.48 : 0.4;
  const int smallest =
    is_float(stream.type) ? static_cast<int>(power * std::log2(smallest_normal(stream.type))) : k_largest;
  const int steps = std::max(k_largest - smallest, 0);
  const bool all_least = scattered(stream.set_seed) % 4 == 0;
  return std::ldexp(
    1.0, k_largest - (all_least ? steps : static_cast<int>(stream.seed % static_cast<std::uint64_t>(steps + 1))));
}

// One mixed call in eight: products of the first two tensors are far apart, and the others are zeros but for a few, so
// that what an exponential leaves of the lesser products is all there is in some places.
bool are_far_apart(const Stream& stream)
{
  return stream.set_seed % 8 == 7 && is_float(stream.type);
}

template <class T> void make_family(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::size_t drawn = (count + k_lanes - 1) / k_lanes * k_lanes;
  if (stream.family == ValueFamily::uniform || stream.family == ValueFamily::small_integers
      || stream.family == ValueFamily::whole) {
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
    return large(stream, values, count, first);
  case ValueFamily::shifted:
    return shifted(stream, values, count);
  case ValueFamily::heavy_tail:
    return heavy_tail(stream, values, drawn);
  case ValueFamily::small_integers:
    return small_integers(stream, values, count, first);
  case ValueFamily::whole:
    return whole_numbers(stream, values, count);
  case ValueFamily::one_hot:
    return one_hot(stream, values, count, first);
  case ValueFamily::cancellation:
    return cancellation(stream, values, count, first);
  case ValueFamily::subnormals:
    return subnormals(stream, values, count, first);
  case ValueFamily::signed_zeros:
    return signed_zeros(stream, values, drawn, first);
  case ValueFamily::extreme:
    return extreme(stream, values, count, first);
  case ValueFamily::odd_suffix:
    return odd_suffix(stream, values, count, first);
  case ValueFamily::spikes:
    return spikes(stream, values, count, first);
  case ValueFamily::framed:
    return framed(stream, values, count, first);
  case ValueFamily::peaks:
    return peaks(stream, values, count, first);
  case ValueFamily::far_off:
    return far_off(stream, values, count, first);
  case ValueFamily::sparse:
    return sparse(stream, values, drawn);
  case ValueFamily::quadrants:
    return quadrants(stream, values, count, first);
  case ValueFamily::patches:
    return patches(stream, values, count, first);
  case ValueFamily::masked:
    return masked(stream, values, drawn);
  case ValueFamily::late:
    return late(stream, values, count, first);
  case ValueFamily::own_rows:
    return own_rows(stream, values, count, first);
  case ValueFamily::any_size:
    return ranges_far(stream.type) ? any_size(stream, values, count, first) : own_rows(stream, values, count, first);
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
    return rectified(stream, values, count, first);
  case ValueFamily::brim:
    return brim(stream, values, count, first);
  case ValueFamily::balanced:
    return balanced(stream, values, count, first);
  case ValueFamily::reordered:
    return reordered(stream, values, count, first);
  case ValueFamily::nearly:
    return nearly(stream, values, count, first);
  case ValueFamily::mixed: // its own part of it
    return are_twins(stream)    ? twins(stream, values, count, first)
           : are_traded(stream) ? traded(stream, values, count, first)
           : are_seesaw(stream) ? seesaw(stream, values, count, first)
                                : wide_rows(stream, values, count, first);
  }
}

} // namespace

template <class T> void make_chunk(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  make_family(stream, values, count, first);
  if (stream.factor != 1) {
    scale(values, count, static_cast<T>(stream.factor));
  }
}

template void make_chunk(Stream& stream, float* values, std::size_t count, std::int64_t first);
template void make_chunk(Stream& stream, double* values, std::size_t count, std::int64_t first);

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
  if (are_traded(stream) || are_seesaw(stream)) {
    return;
  }
  if (are_far_apart(stream)) {
    stream.family = stream.position < 2 ? ValueFamily::normal : ValueFamily::sparse;
    stream.factor = stream.position >= 2 ? 1 : stream.type == DataType::f16 ? 2 : 8;
    return;
  }
  Random random(stream.seed);
  stream.family = random.below(2) == 0 ? ValueFamily::normal : k_parts[random.below(k_parts.size())];
  stream.factor = std::ldexp(1.0, static_cast<int>(random.below(stream.type == DataType::f16 ? 2 : k_factors)));
}

} // namespace hone
