// Families whose rows, columns or blocks differ from one another, and sums that lose what they had gained.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

// Only the first tensor alternates, or the signs of a product's factors would cancel each other.
template <class T> void cancelling_pairs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    const bool negative = stream.position == 0 && ((first + static_cast<std::int64_t>(i)) & 1) != 0;
    const T magnitude = T(1000) + values[i];
    values[i] = negative ? -magnitude : magnitude;
  }
}

// Of one sign in the first tensor, and in the later half of the others of the other one.
template <class T> void there_and_back(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t middle = stream.rows() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    const T magnitude = T(100) + values[i] * T(8);
    values[i] = stream.position != 0 && row >= middle ? -magnitude : magnitude;
  }
}

// In a product of such matrices some elements of the output are sums of small terms only, while others are not.
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

template <class T> void bands(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  constexpr std::uint64_t k_widest = 40;
  const auto width = static_cast<std::int64_t>(1 + stream.own().below(k_widest));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = (first + static_cast<std::int64_t>(i)) / stream.row;
    values[i] *= row / width % 2 == 0 ? T(0x1p-20) : T(1);
  }
}

template <class T> void late_halves(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const std::int64_t alone = static_cast<std::int64_t>(stream.own().below(4)) * stream.row / 16;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t column = (first + static_cast<std::int64_t>(i)) % stream.row;
    values[i] = column == alone ? T(1) : column < stream.row / 2 ? T(0) : std::fabs(values[i]) + T(0.5);
  }
}

// Of up to a quarter of the columns; one rectangle surely.
template <class T> void islands(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Random own = stream.own();
  const auto height = static_cast<std::int64_t>(2 + own.below(24));
  const std::int64_t blocks = (stream.elements / stream.row + height - 1) / height;
  const auto surely = static_cast<std::int64_t>(own.below(static_cast<std::uint64_t>(blocks)));
  const T sea = static_cast<T>(stream.turns().of(2));
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

enum class Ramp { none, down, along };

// A ramp rises, or falls in one call of four, so far along one axis that exponentials of its ends have nothing in
// common, by steps that are small beside that: whoever compares neighbours sees none of it.
template <class T>
void trends(const Stream& stream, T* values, std::size_t count, std::int64_t first, Ramp ramp, bool raised)
{
  constexpr double k_least = 6.5, k_bits = 2; // of its size
  const double size = std::exp2(k_least + k_bits * stream.shared().uniform());
  const T rise = ramp == Ramp::none ? T(0) : static_cast<T>(stream.shared_turns().one_in(4) ? -size : size);
  const std::int64_t rows = stream.rows();
  const Trend<T> down(stream.seed, 0, rows), along(stream.seed, 1, stream.row);
  const T down_by = ramp == Ramp::down ? rise / static_cast<T>(rows) : T(0);
  const T along_by = ramp == Ramp::along ? rise / static_cast<T>(stream.row) : T(0);
  const T from = std::max(T(0), -rise); // never far below 0: 1 + x stays a number
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    const std::int64_t row = index / stream.row, column = index % stream.row;
    values[i] = from + down.at(row) + along.at(column) + down_by * static_cast<T>(row)
                + along_by * static_cast<T>(column) + values[i] / T(16);
  }
  if (raised) {
    raise_some(stream, T(8) + std::fabs(rise), values, count, first);
  }
}

// Terms of one sign add up to much, and what is added once, for each column, takes a part of that back: as much
// everywhere (`alike`), or in each column another part.
template <class T> void opposed(const Stream& stream, T* values, std::size_t count, std::int64_t first, bool alike)
{
  constexpr double k_most = 10; // bits of its size
  const bool once = stream.position > 0 && stream.elements == stream.row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t which = alike ? 0 : static_cast<std::uint64_t>(first) + i;
    values[i] = once ? -static_cast<T>(std::exp2(k_most * share_of(stream.seed, which))) * (T(1) + values[i] / T(64))
                     : T(0.5) + std::fabs(values[i]);
  }
}

template <class T> void rectified(const Stream& stream, T* values, std::size_t count)
{
  const bool positive = stream.turns().one_in(2);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = positive == (values[i] > T(0)) ? values[i] : std::copysign(T(0), values[i]);
  }
}

void two_ends_in_turn(Stream& /*stream*/, const IndexDomain& domain, double* shares, std::size_t count,
                      std::int64_t first)
{
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = (first + static_cast<std::int64_t>(i)) % 2 == 0 ? domain.low : domain.high;
  }
}

constexpr std::array k_cancellation_rows{
  ValueRow{.name = "cancellation/pairs",
           .shares = {{{k_floats, 2}, {k_integers, 1}}},
           .picked_for = PickedFor::call,
           .values = "about 1000; in the first tensor every other one negative",
           .reason = "Sums in few bits: large terms cancel, and what is lost shows.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             cancelling_pairs(stream, values, count, first);
           })},
  ValueRow{.name = "cancellation/there-and-back",
           .shares = {{{k_integers, 1}}},
           .picked_for = PickedFor::call,
           .values = "about 100, in the later half of the rows of all tensors but the first negative",
           .reason = "Sums that saturate: what they gain by their middle they lose by their end.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { there_and_back(stream, values, count, first); })},
  ValueRow{.name = "cancellation/indices-at-two-ends",
           .shares = {{{k_indices, 2}}},
           .picked_for = PickedFor::call,
           .values = "the lowest and the highest in turn",
           .reason = "Differences of neighbouring indices that overflow; tables of which a part is kept at hand.",
           .indices = two_ends_in_turn},
};

constexpr std::array k_quadrants_rows{
  ValueRow{.name = "quadrants/opposite-quarters",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers, two opposite quarters of every matrix a million times smaller",
           .reason = "Sums and differences of whole blocks, as in Strassen's algorithm.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { quadrants(stream, values, count, first); })},
};

constexpr std::array k_patches_rows{
  ValueRow{.name = "patches/bands",
           .shares = {{{k_numbers, 1}}},
           .values = "normal numbers, up to 40 rows in turn as they are and a million times smaller",
           .reason = "Running sums across rows: nothing is left of the small band's.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { bands(stream, values, count, first); })},
  ValueRow{.name = "patches/late-halves",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros up to a row's middle, but for one 1; above 0.5 behind it",
           .reason = "Rows that are given up early because they look empty.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { late_halves(stream, values, count, first); })},
  ValueRow{.name = "patches/islands",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros, or ones, but for a few rectangles of normal numbers",
           .reason = "Blocks that are skipped or copied because their neighbours are empty.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { islands(stream, values, count, first); })},
};

constexpr std::array k_trends_rows{
  ValueRow{.name = "trends/levels",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "along every axis a slope, or a step between two levels, from -2 to 2",
           .reason = "A part of a sum that is taken for the rest; signs that are taken from a neighbour.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::none, false);
           })},
  ValueRow{.name = "trends/levels-with-peaks",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same; in one row of eight one element is above all others",
           .reason = "Maxima from a sample of a row.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::none, true);
           })},
  ValueRow{.name = "trends/ramp-down-columns",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same levels on a ramp from row to row, between 0 and 90 to 360; one in four falls",
           .reason = "A maximum of the row before that is good enough for most data.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::down, false);
           })},
  ValueRow{.name = "trends/ramp-down-columns-with-peaks",
           .shares = {{{k_numbers, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same with one element above all others in one row of eight",
           .reason = "A maximum that is guessed from neighbouring rows.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::down, true);
           })},
  ValueRow{.name = "trends/ramp-along-rows",
           .shares = {{{k_numbers, 3}}},
           .picked_for = PickedFor::call,
           .values = "the levels on such a ramp along the rows",
           .reason =
             "A running maximum that is updated too seldom: exponentials of a ramp's ends have nothing in common.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::along, false);
           })},
  ValueRow{.name = "trends/ramp-along-rows-with-peaks",
           .shares = {{{k_numbers, 3}}},
           .picked_for = PickedFor::call,
           .values = "the same with one element above all others in one row of eight",
           .reason = "Rows that are taken for sorted: their largest element may lie anywhere.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             trends(stream, values, count, first, Ramp::along, true);
           })},
};

constexpr std::array k_rectified_rows{
  ValueRow{.name = "rectified/one-sign",
           .shares = {{{k_floats, 2}, {k_integers, 4}}},
           .picked_for = PickedFor::call,
           .values = "normal numbers of one sign, 0 for those of the other",
           .reason = "Maxima and minima that begin at 0; sums without cancellation.",
           .generator = makes([](auto& stream, auto* values, auto count, auto) { rectified(stream, values, count); })},
  ValueRow{.name = "rectified/against-one-number",
           .shares = {{{k_floats, 1}}},
           .picked_for = PickedFor::call,
           .values = "positive; a tensor of one row (a bias) negative, all of about one size, up to 1024",
           .reason = "What is added to a sum before or after the wrong step, or with the wrong sign.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { opposed(stream, values, count, first, true); })},
  ValueRow{.name = "rectified/against-a-number-per-column",
           .shares = {{{k_floats, 1}}},
           .picked_for = PickedFor::call,
           .values = "the same with another size for each column",
           .reason = "What is added to the wrong column.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { opposed(stream, values, count, first, false); })},
};

} // namespace

std::span<const ValueRow> cancellation_rows()
{
  return k_cancellation_rows;
}
std::span<const ValueRow> quadrants_rows()
{
  return k_quadrants_rows;
}
std::span<const ValueRow> patches_rows()
{
  return k_patches_rows;
}
std::span<const ValueRow> trends_rows()
{
  return k_trends_rows;
}
std::span<const ValueRow> rectified_rows()
{
  return k_rectified_rows;
}

} // namespace hone::inputs
