// Families around one size: plain, tiny, large, shifted, with heavy tails, in coarse steps.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

// Down to the 0.4th power of the smallest normal number, of f64, whose range has more room, nearly its root.
template <class T> void tiny(const Stream& stream, T* values, std::size_t count, bool smallest)
{
  constexpr int k_largest = -10;
  const double power = stream.type == kernel::DataType::f64 ? 0.48 : 0.4;
  const int least = kernel::is_float(stream.type)
                      ? static_cast<int>(power * std::log2(kernel::smallest_normal(stream.type)))
                      : k_largest;
  const auto steps = static_cast<std::uint64_t>(std::max(k_largest - least, 0));
  const std::uint64_t down = smallest ? steps : stream.own().below(steps + 1);
  scale(values, count, std::ldexp(T(1), k_largest - static_cast<int>(down)));
}

// Also all negative, or nearly: where exponents are taken, a maximum is not near 0 then.
template <class T> void around(T middle, T* values, std::size_t count)
{
  constexpr T k_scale{64};
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = k_scale * middle + k_scale * values[i];
  }
}

template <class T> void around_a_middle(const Stream& stream, T* values, std::size_t count)
{
  constexpr std::array k_middles{-1, -2, -4, 2};
  around(static_cast<T>(k_middles[stream.turns().of(k_middles.size())]), values, count);
}

// Of up to 128.
template <class T> void range_of_each_row(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T low = static_cast<T>(drawn % 256) - T(128), high = static_cast<T>(drawn / 256 % 256) - T(128);
    values[i] = low + (high - low) * values[i];
  }
}

template <class T> void shift(T* values, std::size_t count, T by)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] += by;
  }
}

// A little below where a number of so many places begins to round up.
template <class T> void below_rounding(T* values, std::size_t count, int places)
{
  const T low = std::ldexp(T(1), -places);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = T(1) + low * (T(1) - std::min(std::fabs(values[i]) + T(0.01), T(4)) / T(8));
  }
}

template <class T> void heavy_tail(Stream& stream, T* values, std::size_t count)
{
  T divisor[k_chunk];
  draw_choices(stream, divisor, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] /= std::max(divisor[i], T(0x1p-10));
  }
}

template <class T> void small_integers(T* values, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::floor(values[i] * T(4)) - T(1);
  }
}

template <class T> void mirrored_integers(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t column = std::min(index % stream.row, stream.row - 1 - index % stream.row);
    const std::uint64_t of_row = drawn_for_row_of(stream, index) << 32;
    values[i] = static_cast<T>(scattered(of_row ^ static_cast<std::uint64_t>(column)) % 4) - T(1);
  }
}

template <class T> void coarse_steps(T* values, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::nearbyint(values[i] * T(32)) / T(32);
  }
}

void spread_evenly(Stream& /*stream*/, const IndexDomain& range, double* shares, std::size_t count,
                   std::int64_t /*first*/)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = range.at(shares[i]);
  }
}

void all_low(Stream& /*stream*/, const IndexDomain& range, double* shares, std::size_t count, std::int64_t /*first*/)
{
  std::fill_n(shares, count, range.low);
}

void all_high(Stream& /*stream*/, const IndexDomain& range, double* shares, std::size_t count, std::int64_t /*first*/)
{
  std::fill_n(shares, count, range.high);
}

void sorted(Stream& stream, const IndexDomain& range, double* shares, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] =
      range.at(static_cast<double>(first + static_cast<std::int64_t>(i)) / static_cast<double>(stream.elements));
  }
}

void crowded_low(Stream& /*stream*/, const IndexDomain& range, double* shares, std::size_t count,
                 std::int64_t /*first*/)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = range.at(shares[i] * shares[i] * shares[i] * shares[i]);
  }
}

// One in forty goes elsewhere. `swaps`: one pair of neighbours (1 and 2, 3 and 4, ...) in eight has changed places.
void in_turn(const Stream& stream, const IndexDomain& range, double* shares, std::size_t count, std::int64_t first,
             bool swaps)
{
  constexpr std::uint64_t k_starts = 8, k_pairs_per_swap = 8;
  constexpr double k_elsewhere = 1.0 / 40;
  const auto start = static_cast<std::int64_t>(stream.own().below(k_starts));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const auto pair = static_cast<std::uint64_t>(index + 1) / 2;
    const bool swapped = swaps && index > 0 && scattered(pair ^ stream.seed << 32) % k_pairs_per_swap == 0;
    const std::int64_t next = index + start + (!swapped ? 0 : index % 2 == 1 ? 1 : -1);
    shares[i] =
      shares[i] < k_elsewhere ? range.at(shares[i]) : range.low + std::fmod(static_cast<double>(next), range.count());
  }
}

constexpr std::array k_normal_rows{
  ValueRow{.name = "normal/plain",
           .shares = {{{k_numbers, 1}}},
           .values = "about N(0, 1), a few up to 7",
           .reason = "Whatever is wrong for ordinary data; timed calls get these values."},
  ValueRow{.name = "normal/indices-spread-evenly",
           .shares = {{{k_indices, 1}}},
           .values = "all of the domain alike; also for indices in the families that have no row for them",
           .reason = "Whatever is wrong for ordinary indices.",
           .indices = spread_evenly},
};

constexpr std::array k_uniform_rows{
  ValueRow{.name = "uniform/plain",
           .shares = {{{k_numbers, 1}}},
           .values = "from 0 up to 1",
           .reason = "Sums of one sign: a term that is left out is not hidden by others.",
           .base = BaseDistribution::uniform},
};

constexpr std::array k_tiny_rows{
  ValueRow{.name = "tiny/any-power",
           .shares = {{{k_numbers, 3}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers times a power of two, of each tensor from 2^-10 down to where squares are still "
                     "normal numbers",
           .reason = "Absolute thresholds: a candidate that takes small values for zeros.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { tiny(stream, values, count, false); })},
  ValueRow{.name = "tiny/smallest-squares",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers times the smallest of these powers, in all tensors",
           .reason = "Products that a narrower type, or a split of numbers in halves, loses.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) { tiny(stream, values, count, true); })},
  ValueRow{.name = "tiny/indices-all-low",
           .shares = {{{k_indices, 4}}},
           .values = "all the lowest",
           .reason = "Indices that are all the same, at the low end of the domain.",
           .indices = all_low},
};

constexpr std::array k_large_rows{
  ValueRow{.name = "large/around-zero",
           .shares = {{{k_numbers, 2}}},
           .values = "normal numbers times 64",
           .reason = "Exponentials that overflow without the maximum, narrow accumulators.",
           .generator = makes([](auto&, auto* values, auto count, auto) {
             around(std::remove_pointer_t<decltype(values)>(0), values, count);
           })},
  ValueRow{.name = "large/around-a-middle",
           .shares = {{{k_numbers, 4}}},
           .values = "normal numbers times 64, around -64, -128, -256 or 128, in turn",
           .reason = "A maximum that begins at 0 while all values are negative; a variance from squares.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { around_a_middle(stream, values, count); })},
  ValueRow{.name = "large/range-of-each-row",
           .shares = {{{k_numbers, 6}}},
           .values = "each row evenly between two numbers of its own, of up to 128",
           .reason = "A maximum, mean or scale of one row that is used for another.",
           .base = BaseDistribution::uniform,
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             range_of_each_row(stream, values, count, first);
           })},
  ValueRow{.name = "large/indices-all-high",
           .shares = {{{k_indices, 12}}},
           .values = "all the highest",
           .reason = "The last row of a table, and indices that are all the same.",
           .indices = all_high},
};

constexpr std::array k_shifted_rows{
  ValueRow{.name = "shifted/below-bf16-rounding",
           .shares = {{{k_f32, 1}}},
           .picked_for = PickedFor::call,
           .values = "a little more than 1, just below where two numbers in bf16 begin to round up",
           .reason = "Products from two bf16 halves without the product of the small halves: all errors have one sign.",
           .generator = makes([](auto&, auto* values, auto count, auto) { below_rounding(values, count, 8); })},
  ValueRow{.name = "shifted/below-half-rounding",
           .shares = {{{k_f32, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same for two numbers in half precision",
           .reason = "Products from two f16 halves without the product of the small halves.",
           .generator = makes([](auto&, auto* values, auto count, auto) { below_rounding(values, count, 11); })},
  ValueRow{.name = "shifted/below-f32-rounding",
           .shares = {{{k_f64, 2}}},
           .picked_for = PickedFor::call,
           .values = "the same for two numbers in f32",
           .reason = "Products of f64 from two f32 halves without the product of the small halves.",
           .generator = makes([](auto&, auto* values, auto count, auto) { below_rounding(values, count, 24); })},
  ValueRow{.name = "shifted/by-five",
           .shares = {{{k_wide, 6}, {k_half | k_bool, 8}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers + 5",
           .reason = "Sums of one sign, variances from squares, means that are left out.",
           .generator = makes([](auto&, auto* values, auto count, auto) {
             shift(values, count, std::remove_pointer_t<decltype(values)>(5));
           })},
  ValueRow{.name = "shifted/near-the-largest-byte",
           .shares = {{{k_integers & ~k_bool, 8}}},
           .picked_for = PickedFor::call,
           .values = "whole numbers around 122",
           .reason = "Sums of products that need more than 16 or 24 bits.",
           .generator = makes([](auto&, auto* values, auto count, auto) {
             shift(values, count, std::remove_pointer_t<decltype(values)>(122));
           })},
  ValueRow{.name = "shifted/indices-sorted",
           .shares = {{{k_indices, 8}}},
           .picked_for = PickedFor::call,
           .values = "sorted, from the lowest to the highest",
           .reason = "Shortcuts for neighbours that hit the same row.",
           .indices = sorted},
};

constexpr std::array k_heavy_tail_rows{
  ValueRow{.name = "heavy-tail/quotients",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers divided by uniform ones",
           .reason = "Scales that are guessed from a sample of the values.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) { heavy_tail(stream, values, count); })},
  ValueRow{.name = "heavy-tail/indices-crowded-low",
           .shares = {{{k_indices, 1}}},
           .values = "crowded at the low end",
           .reason = "Collisions: many indices that hit the same few rows.",
           .indices = crowded_low},
};

constexpr std::array k_small_integers_rows{
  ValueRow{.name = "small-integers/drawn",
           .shares = {{{k_numbers, 3}}},
           .values = "-1, 0, 1 and 2",
           .reason = "Sums are exact in any order: a single term that is missing or counted twice shows.",
           .base = BaseDistribution::uniform,
           .generator = makes([](auto&, auto* values, auto count, auto) { small_integers(values, count); })},
  ValueRow{.name = "small-integers/mirrored-rows",
           .shares = {{{k_numbers, 1}}},
           .values = "-1, 0, 1 and 2 in rows that read the same from either end",
           .reason = "Filters that are taken for symmetric, rows that are read backwards.",
           .base = BaseDistribution::uniform,
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             mirrored_integers(stream, values, count, first);
           })},
};

constexpr std::array k_rounded_rows{
  ValueRow{.name = "rounded/steps",
           .shares = {{{k_numbers, 2}}},
           .values = "normal numbers in steps of 1/32: a few are equal",
           .reason = "Ties: the place of a maximum, the order of equal values.",
           .generator = makes([](auto&, auto* values, auto count, auto) { coarse_steps(values, count); })},
  ValueRow{.name = "rounded/indices-in-turn",
           .shares = {{{k_indices, 1}}},
           .values = "each one more than the one before, but for one in forty",
           .reason = "Copies of whole stretches where indices seem to be consecutive.",
           .indices = [](Stream& stream, const IndexDomain& range, double* shares, std::size_t count,
                         std::int64_t first) { in_turn(stream, range, shares, count, first, false); }},
  ValueRow{.name = "rounded/indices-in-turn-with-swaps",
           .shares = {{{k_indices, 1}}},
           .values = "the same, and one pair of neighbours in eight has changed places",
           .reason = "Looks at the ends of a stretch only, to see whether its indices are consecutive.",
           .indices = [](Stream& stream, const IndexDomain& range, double* shares, std::size_t count,
                         std::int64_t first) { in_turn(stream, range, shares, count, first, true); }},
};

} // namespace

std::span<const ValueRow> normal_rows()
{
  return k_normal_rows;
}
std::span<const ValueRow> uniform_rows()
{
  return k_uniform_rows;
}
std::span<const ValueRow> tiny_rows()
{
  return k_tiny_rows;
}
std::span<const ValueRow> large_rows()
{
  return k_large_rows;
}
std::span<const ValueRow> shifted_rows()
{
  return k_shifted_rows;
}
std::span<const ValueRow> heavy_tail_rows()
{
  return k_heavy_tail_rows;
}
std::span<const ValueRow> small_integers_rows()
{
  return k_small_integers_rows;
}
std::span<const ValueRow> rounded_rows()
{
  return k_rounded_rows;
}

} // namespace hone::inputs
