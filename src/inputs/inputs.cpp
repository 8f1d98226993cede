#include "inputs/inputs.h"

#include "inputs/elements.h"
#include "inputs/value_families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace hone {
namespace {

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
  if (domain.is_unbounded()) {
    return;
  }
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

constexpr double k_rare = 1.0 / 32;

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
  case ValueFamily::spikes: // all the same, mostly low, but for one
    return static_cast<std::uint64_t>(index) == stream.seed % static_cast<std::uint64_t>(stream.elements)
             ? share
             : drawn * drawn * drawn * drawn;
  case ValueFamily::sparse: // all low but for one in 32
    return share < k_rare ? share / k_rare : share / 64;
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
    if (stream.family == ValueFamily::peaks && stream.set_seed % 2 == 0) {
      values[i] = low
                  + static_cast<double>(
                    peak_of_row(stream, index, static_cast<std::int64_t>(std::clamp(high - low, 0.0, 0x1p53)) + 1));
      continue;
    }
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
    keep_inside(argument.domain, values, count);
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
    store_elements(argument.type, packed, {values, count});
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
  ValueFamily::brim,         ValueFamily::framed,     ValueFamily::peaks,        ValueFamily::balanced,
  ValueFamily::reordered,    ValueFamily::patches,    ValueFamily::whole,        ValueFamily::any_size,
  ValueFamily::nearly,       ValueFamily::mixed,
};

// Those whose rows have nothing to do with one another.
bool may_repeat_rows(ValueFamily family)
{
  constexpr std::array k_independent{ValueFamily::tiny,       ValueFamily::large,        ValueFamily::shifted,
                                     ValueFamily::heavy_tail, ValueFamily::cancellation, ValueFamily::masked,
                                     ValueFamily::own_rows,   ValueFamily::any_size,     ValueFamily::rectified,
                                     ValueFamily::rounded};
  return std::ranges::find(k_independent, family) != k_independent.end();
}

// Of a tensor without rows in one call of two a stretch: what holds of rows and planes holds of its blocks, then.
std::int64_t row_within(const Stream& stream)
{
  constexpr std::array<std::int64_t, 10> k_stretches{8, 10, 16, 30, 32, 64, 64, 100, 128, 200};
  constexpr std::int64_t k_least_rows = 4;
  const std::uint64_t drawn = scattered(stream.set_seed ^ 0xf1a7);
  const std::int64_t stretch = k_stretches[drawn / 2 % k_stretches.size()];
  const bool divided = stream.row == stream.elements && drawn % 2 == 0 && stream.elements >= k_least_rows * stretch;
  const bool knows_what_is_flat = stream.family == ValueFamily::rectified;
  return divided && is_float(stream.type) && !knows_what_is_flat ? stretch : stream.row;
}

// In one call of two: one row in four is the one before. Whoever takes over what was computed for that one may read it
// where another group writes.
void repeat_rows(std::span<std::byte> bytes, const Stream& stream)
{
  constexpr std::uint64_t k_apart = 4;
  if (scattered(stream.set_seed ^ k_apart) % 2 != 0) {
    return;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(stream.row) * size_of(stream.type);
  for (std::size_t row = 1; (row + 1) * row_bytes <= bytes.size(); ++row) {
    if (scattered(stream.seed ^ row << 32) % k_apart == 0) {
      std::memcpy(&bytes[row * row_bytes], &bytes[(row - 1) * row_bytes], row_bytes);
    }
  }
}

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
  case ValueFamily::patches:
    return "patches";
  case ValueFamily::whole:
    return "whole numbers";
  case ValueFamily::masked:
    return "masked";
  case ValueFamily::late:
    return "late";
  case ValueFamily::own_rows:
    return "own rows";
  case ValueFamily::any_size:
    return "any size";
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
  case ValueFamily::framed:
    return "framed";
  case ValueFamily::peaks:
    return "peaks";
  case ValueFamily::balanced:
    return "balanced";
  case ValueFamily::reordered:
    return "reordered";
  case ValueFamily::nearly:
    return "nearly";
  case ValueFamily::mixed:
    return "mixed";
  }
  return "?";
}

void fill_argument(std::span<std::byte> bytes, const Argument& argument, std::size_t position, std::int64_t last_extent,
                   ValueFamily family, std::uint64_t seed, Store store, std::int64_t top)
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
  stream.row = row_within(stream);
  stream.top = top;
  if (family == ValueFamily::mixed) {
    draw_mixed(stream);
  }
  switch (argument.type) {
  case DataType::f32:
    fill_floats<float>(bytes, argument, stream, store);
    break;
  case DataType::f64:
    fill_floats<double>(bytes, argument, stream, store);
    break;
  default:
    fill_converted(bytes, argument, stream, store);
  }
  if (may_repeat_rows(family) && is_float(argument.type)) {
    repeat_rows(bytes, stream);
  }
}

Result<void> fill_input(const Kernel& kernel, const Sizes& sizes, std::span<std::byte> bytes, std::size_t position,
                        const InputSet& inputs, Store store)
{
  Argument argument = kernel.arguments[position];
  HONE_TRY(argument.domain, domain_of(argument, sizes));
  HONE_TRY(const std::vector<std::int64_t> shape, shape_of(argument, sizes));
  fill_argument(bytes, argument, position, shape.empty() ? 1 : shape.back(), inputs.family, inputs.seed, store,
                inputs.top);
  return {};
}

bool has_float_inputs(const Kernel& kernel)
{
  return std::ranges::any_of(kernel.inputs(),
                             [&](std::size_t input) { return is_float(kernel.arguments[input].type); });
}

bool keeps_its_inputs(const Kernel& kernel)
{
  return std::ranges::none_of(kernel.arguments, [](const Argument& argument) { return argument.role == Role::inout; });
}

} // namespace hone
