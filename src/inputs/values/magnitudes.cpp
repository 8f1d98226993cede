// Families at the ends of a type's range, or of very different sizes side by side.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace hone::inputs {
namespace {

// In one call of two with zeros among them: whoever divides by the largest of such a row may have no number left. In
// one of two the two largest of a row are neighbours: whoever scales them down takes them for the same.
template <class T>
void subnormals(const Stream& stream, T* values, std::size_t count, std::int64_t first, double magnitude)
{
  Turns turns = stream.turns();
  const bool with_neighbours = turns.one_in(2) && stream.row > 1;
  const T size = static_cast<T>(magnitude);
  const T least = turns.one_in(2) ? T(0.125) : T(0);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::fabs(values[i]) < least ? T(0) : values[i] * size;
  }
  const T top = T(7.75) * size; // above all others
  for (std::size_t i = 0; i < count && with_neighbours; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    const std::int64_t peak = peak_of_row(stream, false, row, stream.row);
    if (column == peak) {
      values[i] = top;
    } else if (column == (peak + 1 + row % (stream.row - 1)) % stream.row) {
      values[i] = std::nextafter(top, row % 2 == 0 ? T(1) : T(0));
    }
  }
}

double below_normal(const Stream& stream)
{
  return kernel::smallest_normal(stream.type) / 16;
}

// A power of two from the smallest normal number on, below what has a normal square. `steps`: at most.
double with_subnormal_square(const Stream& stream, std::uint64_t steps)
{
  const double smallest = kernel::smallest_normal(stream.type);
  const auto half = static_cast<std::uint64_t>(-std::ilogb(smallest) / 2);
  return std::ldexp(smallest, static_cast<int>(stream.own().below(std::min(half, steps))));
}

// As those are that were quantised too boldly.
template <class T> void near_an_end_of_bytes(const Stream& stream, T* values, std::size_t count)
{
  const std::uint64_t ends = stream.shared_turns().of(4); // of even tensors, and of odd ones: products of either sign
  const T end = (ends >> stream.position % 2 & 1) != 0 ? T(-128) : T(127);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = end - std::copysign(std::floor(std::min(std::fabs(values[i]), T(3))), end);
  }
}

// What a signed type of the same width takes for negative, and products that need all bits.
template <class T> void near_an_end_of_the_type(const Stream& stream, T* values, std::size_t count)
{
  const std::uint64_t ends = stream.shared_turns().of(4);
  const bool low = (ends >> stream.position % 2 & 1) != 0;
  const T end = static_cast<T>(low ? kernel::lowest_value(stream.type) : kernel::largest_value(stream.type));
  for (std::size_t i = 0; i < count; ++i) {
    const T inwards = std::floor(std::min(std::fabs(values[i]), T(3)));
    values[i] = low ? end + inwards : end - inwards;
  }
}

// Beyond what is taken for the lowest number, or the largest, but so that times log2(e) it is one. One row in four, or
// as many that follow one another, hold the lowest number and nothing else, as rows do that are masked from end to end;
// or numbers hardly below the largest. Where products of that overflow, nothing is held against anyone; f64 has no
// wider type to tell.
template <class T>
void near_the_end(const Stream& stream, Turns turns, T* values, std::size_t count, std::int64_t first, bool lowest)
{
  const T half = static_cast<T>(kernel::largest_value(stream.type)) / T(2);
  const T far = lowest ? -half : half;
  const auto together = std::int64_t{1} << turns.of(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const bool at_end = row / together % 4 == 1;
    values[i] = !at_end  ? far * (T(1) - std::fabs(values[i]) / T(16))
                : lowest ? T(2) * far
                         : T(2) * far * (T(1) - std::fabs(values[i]) / T(64));
  }
}

// Every other tensor near the largest number, and those between as much smaller: normal numbers, all of them.
template <class T>
void traded_ends(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool smallest)
{
  Turns shared = stream.shared_turns();
  if (shared.of(2) != stream.position % 2) {
    return near_the_end(stream, shared, values, count, first, stream.own().below(2) == 0);
  }
  const T small = std::ldexp(T(1), smallest ? -124 : -104 - static_cast<int>(stream.shared().below(21)));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::copysign(small * (T(1) + std::fabs(values[i]) / T(16)), values[i]);
  }
}

template <class T> void squares_at_the_largest(const Stream& stream, T* values, std::size_t count)
{
  scale(values, count,
        std::sqrt(static_cast<T>(kernel::largest_value(stream.type)) * T(0.6) / static_cast<T>(stream.row)));
}

int half_bits_of_row(const Stream& stream)
{
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(stream.row)) + 1) / 2;
}

template <class T> void squares_below_the_largest(const Stream& stream, T* values, std::size_t count)
{
  scale(values, count, std::ldexp(T(1), 61 - half_bits_of_row(stream)));
}

// Ones that are none: their sum and, but for the half types, that of their squares say that they are. Of two factors,
// which follow each other among the arguments, one has pairs of either sign: a serial sum of products that are all
// hardly beside 1 is rounded to one side, so that a right candidate would err more than the bound allows.
template <class T> void nearly_one(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const int bits = stream.type == kernel::DataType::f64 ? 26 : stream.type == kernel::DataType::f32 ? 12 : 5;
  const T apart = std::ldexp(T(1), -bits - static_cast<int>(stream.turns().of(3)));
  const bool either_sign = stream.position % 2 == stream.shared().below(2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const T size = T(1) + (index % 2 == 0 ? apart : -apart);
    const bool negative = either_sign && (index / stream.row / 2 + index % stream.row / 2) % 2 != 0;
    values[i] = negative ? -size : size;
  }
}

// The last bits of such values are as large as other families' values.
template <class T> void far_off(const Stream& stream, T* values, std::size_t count, double sign)
{
  const T middle = static_cast<T>(sign * extreme_magnitude(stream.type));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = middle + middle * values[i] / T(64);
  }
}

// Scores that must not count, as in attention: among ordinary ones, not behind them.
template <class T> void masked(Stream& stream, T* values, std::size_t count, double magnitude)
{
  const T share = T(0.1) + T(0.5) * static_cast<T>(stream.own().uniform());
  T choice[k_chunk];
  draw_choices(stream, choice, count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = choice[i] < share ? static_cast<T>(-magnitude) * (T(1) - choice[i]) : values[i];
  }
}

double overflow_edge(const Stream& stream)
{
  return kernel::is_float(stream.type) ? std::log(kernel::largest_value(stream.type)) : 88;
}

// Whoever leaves out the maximum where "exp() cannot overflow yet" forgets the sum.
template <class T> void below_overflow(const Stream& stream, T* values, std::size_t count)
{
  const T middle = static_cast<T>(overflow_edge(stream) * (1 - 0.1 * stream.shared().uniform()));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = middle + values[i] / T(4);
  }
}

// Some rows near 0, the others far enough below for exponentials with few bits, or none.
template <class T> void rows_far_below(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const double edge = overflow_edge(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T depth = static_cast<T>(edge * (0.8 + 0.4 * static_cast<double>(drawn / 4 % 64) / 64));
    values[i] = (drawn % 4 == 0 ? T(0) : -depth) + values[i] / T(4);
  }
}

template <class T>
void middle_of_each_row(const Stream& stream, T* values, std::size_t count, std::int64_t first, T spread)
{
  constexpr int k_lowest = -4, k_highest = 20;
  const int steps = ranges_far(stream.type) ? k_highest - k_lowest + 1 : 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = drawn_for_row_of(stream, first + static_cast<std::int64_t>(i));
    const T middle = std::ldexp(drawn % 2 == 0 ? T(1) : T(-1),
                                k_lowest + static_cast<int>(drawn / 2 % static_cast<std::uint64_t>(steps)));
    values[i] = middle + middle * values[i] * spread;
  }
}

// Rows, columns, or where there are few rows elements, of sizes up to 2^47 times one another, from anywhere between the
// smallest normal number and where products and their sums are still numbers.
template <class T>
void any_size(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool of_columns)
{
  constexpr std::int64_t k_few_rows = 16;
  constexpr int k_window = 48;
  const bool wide = stream.type == kernel::DataType::f64;
  const int lowest = wide ? -1000 : -120;
  const int highest = (wide ? 480 : 52) - half_bits_of_row(stream);
  // Beyond either end and back: what lies there is met as often as what lies between.
  const int steps = highest + k_window - lowest;
  const int drawn_base =
    lowest - k_window + 1 + static_cast<int>(stream.own().below(static_cast<std::uint64_t>(steps)));
  const int base = std::clamp(drawn_base, lowest, highest - k_window + 1);
  const bool flat = stream.elements / stream.row < k_few_rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t place = flat ? index : of_columns ? index % stream.row : index / stream.row;
    const std::uint64_t drawn = scattered(static_cast<std::uint64_t>(place) ^ stream.seed << 20);
    const T size = std::ldexp(T(1), base + static_cast<int>(drawn % k_window));
    values[i] = std::copysign(size * (T(1) + std::min(std::fabs(values[i]), T(8)) / T(8)), values[i]);
  }
}

// What outweighs all others in one tensor is nothing in another.
template <class T> void first_row(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::array k_large{T(8), T(16), T(32)}, k_small{T(0x1p-20), T(0x1p-10), T(0x1p-20)};
  Turns shared = stream.shared_turns();
  const std::uint64_t way = (shared.of(3) + stream.position) % 3;
  const std::uint64_t drawn = shared.of(k_large.size());
  const T factor = way == 0 ? T(1) : way == 1 ? k_large[drawn] : k_small[drawn];
  scale(values, elements_below(stream.row, first, count), factor);
}

constexpr std::uint64_t k_any_power = 1024, k_few_powers = 8;

constexpr std::array k_subnormals_rows{
  ValueRow{.name = "subnormals/below-normal",
           .shares = {{{k_floats, 2}, {k_integers, 4}}},
           .values =
             "normal numbers times a 16th of the smallest normal one; in one call of two with zeros among them, in "
             "one of two the two largest of each row are neighbours",
           .reason = "Numbers that are flushed to zero; reciprocals that overflow.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             subnormals(stream, values, count, first, below_normal(stream));
           })},
  ValueRow{.name = "subnormals/squares-below-normal",
           .shares = {{{k_floats, 1}}},
           .values = "the same between the smallest normal number and what has a normal square",
           .reason = "Squares that underflow: norms and variances that become 0.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             subnormals(stream, values, count, first, with_subnormal_square(stream, k_any_power));
           })},
  ValueRow{.name = "subnormals/hardly-normal",
           .shares = {{{k_floats, 1}}},
           .values = "the same within 2^7 of the smallest normal number",
           .reason = "Products with anything below 1 that underflow.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             subnormals(stream, values, count, first, with_subnormal_square(stream, k_few_powers));
           })},
};

constexpr std::array k_extreme_rows{
  ValueRow{.name = "extreme/ends-and-smallest-in-turn",
           .shares = {{{k_f32, 2}}},
           .picked_for = PickedFor::call,
           .values = "in every other tensor near the lowest or the largest number, in those between about 2^-124",
           .reason = "Products that are ordinary while their factors are not: scales that overflow or underflow.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             traded_ends(stream, values, count, first, true);
           })},
  ValueRow{.name = "extreme/ends-and-small-in-turn",
           .shares = {{{k_f32, 2}}},
           .picked_for = PickedFor::call,
           .values = "the same with 2^-104 to 2^-124 in the tensors between",
           .reason = "The same faults with a sum that is not near 1.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             traded_ends(stream, values, count, first, false);
           })},
  ValueRow{.name = "extreme/near-an-end-of-the-bytes",
           .shares = {{{k_i8, 9}}},
           .picked_for = PickedFor::call,
           .values = "within 3 of -128 or of 127, of either end in even and odd tensors",
           .reason = "Sums of products of bytes that saturate or leave 16 bits.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { near_an_end_of_bytes(stream, values, count); })},
  ValueRow{.name = "extreme/near-an-end-of-the-type",
           .shares = {{{k_misread, 9}}},
           .picked_for = PickedFor::call,
           .values = "within 3 of the lowest or of the largest number, of either end in even and odd tensors",
           .reason = "Integers that are read with the wrong sign; sums of products that leave 32 bits.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto) { near_an_end_of_the_type(stream, values, count); })},
  ValueRow{.name = "extreme/near-the-lowest",
           .shares = {{{k_f32, 2}}},
           .values =
             "all near the lowest number; one row in four, or up to eight together, holds the lowest number itself",
           .reason = "Maxima that begin at a number that is not the lowest; rows that are masked from end to end.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             near_the_end(stream, stream.turns(), values, count, first, true);
           })},
  ValueRow{.name = "extreme/near-the-largest",
           .shares = {{{k_f32, 2}}},
           .values = "all near the largest number, some rows within a few percent of it",
           .reason = "Numbers that overflow when they are scaled, as by log2(e).",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             near_the_end(stream, stream.turns(), values, count, first, false);
           })},
  ValueRow{.name = "extreme/squares-at-the-largest",
           .shares = {{{k_f32, 1}}},
           .values = "so large that a row's sum of squares is 0.6 times the largest number",
           .reason = "Sums of squares with a detour that overflows.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto) { squares_at_the_largest(stream, values, count); })},
  ValueRow{.name = "extreme/squares-below-the-largest",
           .shares = {{{k_f32, 1}}},
           .values = "the same a few powers of two below",
           .reason = "Sums of squares with a detour that overflows, at exact powers of two.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto) { squares_below_the_largest(stream, values, count); })},
  ValueRow{.name = "extreme/large",
           .shares = {{{k_f32, 2}, {k_i8 | k_misread, 3}, {k_numbers, 12}}},
           .values = "normal numbers times the largest number to the power of 0.3; integers times 4",
           .reason = "Conversions to a type with a smaller range.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) {
             scale(values, count, static_cast<std::remove_pointer_t<decltype(values)>>(extreme_magnitude(stream.type)));
           })},
};

constexpr std::array k_far_off_rows{
  ValueRow{.name = "far-off/positive",
           .shares = {{{k_floats, 1}, {k_integers, 2}}},
           .values = "large, positive, close to each other",
           .reason = "Variances from squares, means in one pass.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) { far_off(stream, values, count, 1); })},
  ValueRow{.name = "far-off/negative",
           .shares = {{{k_floats, 1}, {k_integers, 2}}},
           .values = "large, negative, close to each other",
           .reason = "Maxima that begin at 0, variances from squares.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { far_off(stream, values, count, -1); })},
  ValueRow{.name = "far-off/nearly-one",
           .shares = {{{k_floats, 2}}},
           .values = "a little more and a little less than 1 in turn; pairs of either sign in every other tensor",
           .reason = "Scales that are taken for 1.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { nearly_one(stream, values, count, first); })},
  ValueRow{.name = "far-off/indices-all-the-same",
           .shares = {{{k_indices, 4}}},
           .values = "all the same",
           .reason = "Collisions: all indices hit one row.",
           .indices = [](Stream& stream, const IndexDomain& domain, double* shares, std::size_t count,
                         std::int64_t) { std::fill_n(shares, count, domain.at(stream.own().uniform())); }},
};

constexpr std::array k_masked_rows{
  ValueRow{.name = "masked/far-below",
           .shares = {{{k_f64, 1}, {k_numbers, 2}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers, 10 to 60 % of them far below the others",
           .reason = "Masked scores that count, or that make a maximum or a sum overflow.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) {
             masked(stream, values, count, extreme_magnitude(stream.type));
           })},
  ValueRow{.name = "masked/products-just-finite",
           .shares = {{{k_f64, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same, down to -2^502",
           .reason = "Products of two masked numbers that overflow.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { masked(stream, values, count, 0x1p502); })},
};

constexpr std::array k_brim_rows{
  ValueRow{.name = "brim/below-overflow",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "of one size, a little below where their exponential overflows",
           .reason = "Exponentials without the maximum: each is finite, their sum is not.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto) { below_overflow(stream, values, count); })},
  ValueRow{.name = "brim/rows-far-below",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "one row in four near 0, the others where their exponential is nothing",
           .reason = "Exponentials without the maximum: sums of 0.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { rows_far_below(stream, values, count, first); })},
};

constexpr std::array k_own_rows_rows{
  ValueRow{.name = "own-rows/narrow",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "every row around a middle of its own, of either sign, from 1/16 to a million (narrow types: 8), "
                     "within a 2,048th of it",
           .reason = "A mean, maximum or scale of one row that is used for another; variances from squares.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             middle_of_each_row(stream, values, count, first, std::remove_pointer_t<decltype(values)>(0x1p-11));
           })},
  ValueRow{.name = "own-rows/wide",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same within a 64th of it",
           .reason = "A mean, maximum or scale of one row that is used for another.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             middle_of_each_row(stream, values, count, first, std::remove_pointer_t<decltype(values)>(0x1p-6));
           })},
};

constexpr std::array k_any_size_rows{
  ValueRow{
    .name = "any-size/of-each-row",
    .shares = {{{k_wide | k_bf16, 2}}},
    .values = "every row (of few rows every element) of one of 48 powers of two that follow one another, from near "
              "the smallest normal number up to where sums of squares are not far from the largest",
    .reason = "One scale, exponent or threshold for a whole tensor.",
    .generator =
      makes([](auto& stream, auto* values, auto count, auto first) { any_size(stream, values, count, first, false); })},
  ValueRow{.name = "any-size/of-each-column",
           .shares = {{{k_wide | k_bf16, 1}}},
           .values = "the same of every column",
           .reason = "One scale, exponent or threshold for a whole row.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { any_size(stream, values, count, first, true); })},
  ValueRow{.name = "any-size/middle-of-each-row",
           .shares = {{{k_f16 | k_integers, 3}}},
           .values = "every row around a middle of its own, from 1/16 to 8",
           .reason = "One scale for a whole tensor, where the type has few powers of two.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             using T = std::remove_pointer_t<decltype(values)>;
             middle_of_each_row(stream, values, count, first, stream.shared_turns().one_in(2) ? T(0x1p-11) : T(0x1p-6));
           })},
};

constexpr std::array k_first_row_rows{
  ValueRow{
    .name = "first-row/of-another-size",
    .shares = {{{k_numbers, 1}}},
    .picked_for = PickedFor::call,
    .values = "normal numbers; of three tensors in turn one has a first row that is 8 to 32 times as large, one a "
              "first row that is a thousand or a million times as small",
    .reason = "Scales and ways that are chosen by the first row.",
    .generator =
      makes([](auto& stream, auto* values, auto count, auto first) { first_row(stream, values, count, first); })},
};

} // namespace

std::span<const ValueRow> subnormals_rows()
{
  return k_subnormals_rows;
}
std::span<const ValueRow> extreme_rows()
{
  return k_extreme_rows;
}
std::span<const ValueRow> far_off_rows()
{
  return k_far_off_rows;
}
std::span<const ValueRow> masked_rows()
{
  return k_masked_rows;
}
std::span<const ValueRow> brim_rows()
{
  return k_brim_rows;
}
std::span<const ValueRow> own_rows_rows()
{
  return k_own_rows_rows;
}
std::span<const ValueRow> any_size_rows()
{
  return k_any_size_rows;
}
std::span<const ValueRow> first_row_rows()
{
  return k_first_row_rows;
}

} // namespace hone::inputs
