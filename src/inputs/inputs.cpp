#include "inputs/inputs.h"

#include "inputs/elements.h"
#include "inputs/order.h"
#include "inputs/value_stream.h"
#include "util/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace hone::inputs {
namespace {

// Maps all numbers into an interval with two ends: 0 to its middle, far values close to the ends. The middle of
// positive numbers is their geometric one, so that products of many stay in range.
template <class T> void squeeze_inside(const kernel::Domain& domain, T* values, std::size_t count)
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
template <class T> void keep_inside(const kernel::Domain& domain, T* values, std::size_t count)
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

// Elements from `first` on. Room for a whole number of lanes.
template <class T> void make_chunk(Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const ValueRow& row = *stream.picked.row;
  const std::size_t drawn = (count + k_lanes - 1) / k_lanes * k_lanes;
  if (row.base == BaseDistribution::uniform) {
    draw_uniform(stream.random, values, drawn);
  } else {
    draw_normal(stream.random, values, drawn);
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    if (row.generator.f32 != nullptr) {
      row.generator.f32(stream, values, count, first);
    }
  } else if (row.generator.f64 != nullptr) {
    row.generator.f64(stream, values, count, first);
  }
  if (stream.factor != 1) {
    scale(values, count, static_cast<T>(stream.factor));
  }
}

// Integers with a finite domain (indices, lengths). What is crowded, sorted or all the same is what a candidate that
// counts on an even spread gets wrong.
void make_indices(Stream& stream, const kernel::Domain& domain, double* values, std::size_t count, std::int64_t first)
{
  draw_uniform(stream.random, values, (count + k_lanes - 1) / k_lanes * k_lanes);
  const IndexDomain all{std::ceil(domain.low), std::floor(domain.high)};
  if (stream.picked.row->indices != nullptr) {
    return stream.picked.row->indices(stream, all, values, count, first);
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = all.at(values[i]);
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

template <class T>
void fill_floats(std::span<std::byte> bytes, const kernel::Argument& argument, Stream& stream, Store store)
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
void fill_converted(std::span<std::byte> bytes, const kernel::Argument& argument, Stream& stream, Store store)
{
  const std::size_t size = kernel::size_of(argument.type);
  alignas(64) double values[k_chunk];
  alignas(64) std::byte packed[k_chunk * sizeof(double)];
  for (std::int64_t first = 0; first < stream.elements; first += k_chunk) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(k_chunk, stream.elements - first));
    if (stream.type_bit == k_indices) {
      make_indices(stream, argument.domain, values, count, first);
    } else {
      make_chunk(stream, values, count, first);
      keep_inside(argument.domain, values, count);
    }
    store_elements(argument.type, packed, {values, count});
    place(bytes.subspan(static_cast<std::size_t>(first) * size, count * size),
          std::span<const std::byte>(packed, count * size), store);
  }
}

// Of a tensor without rows in one call of two a stretch: what holds of rows and planes holds of its blocks, then.
std::int64_t row_within(const Stream& stream)
{
  constexpr std::array<std::int64_t, 10> k_stretches{8, 10, 16, 30, 32, 64, 64, 100, 128, 200};
  constexpr std::int64_t k_least_rows = 4;
  constexpr std::uint64_t k_of_stretches = 0xf1a7;
  Random random(stream.set_seed ^ k_of_stretches);
  const bool one_in_two = random.below(2) == 0;
  const std::int64_t stretch = k_stretches[random.below(k_stretches.size())];
  const bool divided = stream.row == stream.elements && one_in_two && stream.elements >= k_least_rows * stretch;
  const bool knows_what_is_flat = stream.family == ValueFamily::rectified;
  return divided && kernel::is_float(stream.type) && !knows_what_is_flat ? stretch : stream.row;
}

// In one call of two: one row in four is the one before. Whoever takes over what was computed for that one may read it
// where another group writes.
void repeat_rows(std::span<std::byte> bytes, const Stream& stream)
{
  constexpr std::uint64_t k_apart = 4;
  if (scattered(stream.set_seed ^ k_apart) % 2 != 0) {
    return;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(stream.row) * kernel::size_of(stream.type);
  for (std::size_t row = 1; (row + 1) * row_bytes <= bytes.size(); ++row) {
    if (scattered(stream.seed ^ row << 32) % k_apart == 0) {
      std::memcpy(&bytes[row * row_bytes], &bytes[(row - 1) * row_bytes], row_bytes);
    }
  }
}

} // namespace

void fill_argument(std::span<std::byte> bytes, const kernel::Argument& argument, std::size_t position,
                   std::int64_t last_extent, const InputSet& inputs, Store store)
{
  const std::uint64_t own_seed = inputs.seed ^ (0x9e3779b97f4a7c15U * (position + 1));
  const Types type = types_of(argument);
  Stream stream{LaneRandom(own_seed),
                inputs.family,
                type,
                argument.type,
                position,
                std::max<std::int64_t>(last_extent, 1),
                static_cast<std::int64_t>(bytes.size() / kernel::size_of(argument.type)),
                own_seed,
                inputs.seed};
  stream.row = row_within(stream);
  stream.top = inputs.top;
  stream.picked = pick_row(inputs, type, position);
  if (stream.picked.row->begin != nullptr) {
    stream.picked.row->begin(stream);
  }
  switch (argument.type) {
  case kernel::DataType::f32:
    fill_floats<float>(bytes, argument, stream, store);
    break;
  case kernel::DataType::f64:
    fill_floats<double>(bytes, argument, stream, store);
    break;
  default:
    fill_converted(bytes, argument, stream, store);
  }
  if (rows_of(inputs.family).rows_repeat && kernel::is_float(argument.type)) {
    repeat_rows(bytes, stream);
  }
  keep_order(bytes, argument, last_extent);
}

Result<void> fill_input(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::span<std::byte> bytes,
                        std::size_t position, const InputSet& inputs, Store store)
{
  kernel::Argument argument = kernel.arguments[position];
  HONE_TRY(argument.domain, kernel::domain_of(argument, sizes));
  HONE_TRY(const std::vector<std::int64_t> shape, kernel::shape_of(argument, sizes));
  fill_argument(bytes, argument, position, shape.empty() ? 1 : shape.back(), inputs, store);
  return {};
}

std::string row_names(const kernel::Kernel& kernel, const kernel::Sizes& sizes, const InputSet& inputs)
{
  std::vector<std::string> names;
  for (const std::size_t input : kernel.inputs()) {
    kernel::Argument argument = kernel.arguments[input];
    argument.domain = kernel::domain_of(argument, sizes).value_or(argument.domain);
    const std::string name(pick_row(inputs, types_of(argument), input).row->name);
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return join(names, " + ");
}

bool has_float_inputs(const kernel::Kernel& kernel)
{
  return std::ranges::any_of(kernel.inputs(),
                             [&](std::size_t input) { return kernel::is_float(kernel.arguments[input].type); });
}

bool keeps_its_inputs(const kernel::Kernel& kernel)
{
  return std::ranges::none_of(kernel.arguments,
                              [](const kernel::Argument& argument) { return argument.role == kernel::Role::inout; });
}

} // namespace hone::inputs
