// Small numbers in an order that deceives: sums over whole rows, over every eighth element or over a window come out
// the same, or as nothing, for values that are not. All sums of a few million are exact.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

constexpr std::array<std::int64_t, 5> k_distances{1, 8, 16, 32, 64}; // as far as lanes of vectors and unrolled loops go

// What both of a pair have in common: a number below `many`.
std::uint64_t drawn_for_pair(const Stream& stream, std::int64_t which, std::uint64_t many)
{
  return scattered(stream.seed ^ static_cast<std::uint64_t>(which) << 32) % many;
}

std::int64_t drawn_distance(const Stream& stream)
{
  return k_distances[stream.turns().of(k_distances.size())];
}

// Elements from `first` on of what `at` says of each row and column.
template <class T, class At>
void write_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first, At at)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    values[i] = static_cast<T>(at(index / stream.row, index % stream.row));
  }
}

template <class T> void mirrored_signs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  write_rows(stream, values, count, first, [&](std::int64_t row, std::int64_t column) -> std::int64_t {
    const std::int64_t other = stream.row - 1 - column;
    const auto size =
      static_cast<std::int64_t>(1 + drawn_for_pair(stream, row * stream.row + std::min(column, other), 3));
    return column == other ? 0 : column < other ? size : -size;
  });
}

// Elements so far apart are of one size and of opposite sign; 0 for who has no other.
template <class T> void signed_pairs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t apart = drawn_distance(stream);
  write_rows(stream, values, count, first, [&](std::int64_t row, std::int64_t column) -> std::int64_t {
    const std::int64_t start = column - column % (2 * apart);
    const bool second = column >= start + apart;
    const std::int64_t lower = second ? column - apart : column;
    if (lower + apart >= stream.row) {
      return 0;
    }
    const auto size = static_cast<std::int64_t>(1 + drawn_for_pair(stream, row * stream.row + lower, 3));
    return second ? -size : size;
  });
}

bool is_alone(const Stream& stream, std::int64_t column)
{
  return column == stream.row - 1 && stream.row % 2 == 1;
}

template <class T> void checkerboard(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  write_rows(stream, values, count, first, [&](std::int64_t row, std::int64_t column) {
    return is_alone(stream, column) ? 0 : (row + column) % 2 == 0 ? 1 : -1;
  });
}

// Of three neighbours around every other one, along a row or down a column.
template <class T> void cancelling_threes(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const bool by_rows = stream.turns().one_in(2);
  write_rows(stream, values, count, first,
             [&](std::int64_t row, std::int64_t column) { return (by_rows ? row : column) % 2 == 0 ? -2 : 1; });
}

template <class T> void stretches(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t length = drawn_distance(stream);
  write_rows(stream, values, count, first,
             [&](std::int64_t, std::int64_t column) { return column / length % 2 == 0 ? 1 : -1; });
}

template <class T> void around_one(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const double apart = std::ldexp(1.0, -1 - static_cast<int>(stream.turns().of(3)));
  write_rows(stream, values, count, first, [&](std::int64_t, std::int64_t column) {
    return is_alone(stream, column) ? 1 : column % 2 == 0 ? 1 + apart : 1 - apart;
  });
}

// What a row holds, where `from` says which of the first row's elements comes to a place: one 1, or numbers below 4.
template <class T, class From>
void reorder(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool only_one, From from)
{
  write_rows(stream, values, count, first, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t place = from(row, column);
    return only_one ? (place == 0 ? 1 : 0) : static_cast<std::int64_t>(drawn_for_pair(stream, place, 4));
  });
}

template <class T> void rotated_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Turns turns = stream.turns();
  const bool only_one = turns.one_in(2);
  const std::int64_t by = k_distances[turns.of(k_distances.size())];
  reorder(stream, values, count, first, only_one,
          [&](std::int64_t row, std::int64_t column) { return (column + row * by) % stream.row; });
}

template <class T> void reversed_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  reorder(stream, values, count, first, stream.turns().one_in(2),
          [&](std::int64_t row, std::int64_t column) { return row % 2 == 0 ? column : stream.row - 1 - column; });
}

template <class T> void exchanged_pairs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const auto many = static_cast<std::uint64_t>(stream.row);
  reorder(stream, values, count, first, stream.turns().one_in(2), [&](std::int64_t row, std::int64_t column) {
    const auto one = static_cast<std::int64_t>(drawn_for_pair(stream, ~(2 * row), many));
    const auto other = static_cast<std::int64_t>(drawn_for_pair(stream, ~(2 * row + 1), many));
    return column == one ? other : column == other ? one : column;
  });
}

// All twos, and one five; every other row has fours and zeros in their place.
template <class T> void equal_sums(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t apart = drawn_distance(stream);
  const auto top = static_cast<std::int64_t>(drawn_for_pair(stream, 0, static_cast<std::uint64_t>(stream.row)));
  write_rows(stream, values, count, first, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t lower = column % (2 * apart) < apart ? column : column - apart;
    if (column == top) {
      return 5;
    }
    const bool whole = lower + apart < stream.row && lower != top && lower + apart != top;
    return !whole || row % 2 == 0 ? 2 : column == lower ? 4 : 0;
  });
}

constexpr std::array k_balanced_rows{
  ValueRow{.name = "balanced/mirrored-signs",
           .shares = {{{k_numbers, 1}}},
           .values = "1 to 3, with the opposite sign in the mirrored place of the row",
           .reason = "Zeros that are concluded from a sum of 0.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { mirrored_signs(stream, values, count, first); })},
  ValueRow{.name = "balanced/signed-pairs",
           .shares = {{{k_numbers, 1}}},
           .values = "1 to 3, with the opposite sign 1, 8, 16, 32 or 64 places further on",
           .reason = "Zeros that are concluded from sums over the lanes of a vector.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { signed_pairs(stream, values, count, first); })},
  ValueRow{.name = "balanced/checkerboard",
           .shares = {{{k_numbers, 1}}},
           .values = "1 and -1 in turn, along rows and columns",
           .reason = "Zeros that are concluded from sums over blocks.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { checkerboard(stream, values, count, first); })},
  ValueRow{.name = "balanced/threes",
           .shares = {{{k_numbers, 1}}},
           .values = "-2 and 1 in turn, along rows or down columns: 1, -2 and 1 add up to 0",
           .reason = "Constants and slopes that are concluded from second differences.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             cancelling_threes(stream, values, count, first);
           })},
  ValueRow{.name = "balanced/stretches",
           .shares = {{{k_numbers, 1}}},
           .values = "1 for a stretch of 1, 8, 16, 32 or 64, -1 for as long",
           .reason = "A part of a row that is taken for the rest.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { stretches(stream, values, count, first); })},
  ValueRow{.name = "balanced/around-one",
           .shares = {{{k_numbers, 1}}},
           .values = "as far above as below 1 in turn: sums are as large as their count",
           .reason = "Ones that are concluded from a sum.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { around_one(stream, values, count, first); })},
};

constexpr std::array k_reordered_rows{
  ValueRow{.name = "reordered/rotated",
           .shares = {{{k_numbers, 1}}},
           .values = "one 1, or numbers from 0 to 3; in each row as many places further on",
           .reason = "Rows that are taken for the same because their sums are.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { rotated_rows(stream, values, count, first); })},
  ValueRow{.name = "reordered/reversed",
           .shares = {{{k_numbers, 1}}},
           .values = "the same, from either end in turn",
           .reason = "Rows that are taken for the same because their sums and ends are.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { reversed_rows(stream, values, count, first); })},
  ValueRow{.name = "reordered/two-exchanged",
           .shares = {{{k_numbers, 1}}},
           .values = "the same in each row, but that two have changed places",
           .reason = "Rows that are taken for the same after a look at some elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             exchanged_pairs(stream, values, count, first);
           })},
  ValueRow{.name = "reordered/equal-sums",
           .shares = {{{k_numbers, 1}}},
           .values = "2 and one 5; in every other row 4 and 0 in place of two of them",
           .reason = "Rows that are taken for the same because their sum and their largest element are.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { equal_sums(stream, values, count, first); })},
};

} // namespace

std::span<const ValueRow> balanced_rows()
{
  return k_balanced_rows;
}
std::span<const ValueRow> reordered_rows()
{
  return k_reordered_rows;
}

} // namespace hone::inputs
