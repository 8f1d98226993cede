#include "inputs/exact_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone {
namespace {

constexpr std::array<std::int64_t, 5> k_distances{1, 8, 16, 32, 64}; // as far as lanes of vectors and unrolled loops go

// What both of a pair have in common: a number below `many`.
std::uint64_t shared(const Stream& stream, std::int64_t which, std::uint64_t many)
{
  return scattered(stream.seed ^ static_cast<std::uint64_t>(which) << 32) % many;
}

// Elements so far apart are of one size and of opposite sign; 0 for who has no other.
std::int64_t signed_pair(const Stream& stream, std::int64_t row, std::int64_t column, std::int64_t apart)
{
  const std::int64_t start = column - column % (2 * apart);
  const bool second = column >= start + apart;
  const std::int64_t lower = second ? column - apart : column;
  if (lower + apart >= stream.row) {
    return 0;
  }
  const auto size = static_cast<std::int64_t>(1 + shared(stream, row * stream.row + lower, 3));
  return second ? -size : size;
}

// The same from either end, but for the sign.
std::int64_t mirrored_pair(const Stream& stream, std::int64_t row, std::int64_t column)
{
  const std::int64_t other = stream.row - 1 - column;
  const auto size = static_cast<std::int64_t>(1 + shared(stream, row * stream.row + std::min(column, other), 3));
  return column == other ? 0 : column < other ? size : -size;
}

double balanced_at(const Stream& stream, std::int64_t row, std::int64_t column)
{
  const bool alone = column == stream.row - 1 && stream.row % 2 == 1;
  switch (stream.seed % 6) {
  case 0:
    return static_cast<double>(mirrored_pair(stream, row, column));
  case 1:
    return static_cast<double>(signed_pair(stream, row, column, k_distances[stream.seed / 8 % k_distances.size()]));
  case 2:
    return alone ? 0 : (row + column) % 2 == 0 ? 1 : -1;
  case 3: // of three neighbours around every other one, along a row or down a column
    return (stream.seed / 8 % 2 == 0 ? row : column) % 2 == 0 ? -2 : 1;
  case 4: { // on for a stretch, off for as long
    const std::int64_t stretch = k_distances[stream.seed / 8 % k_distances.size()];
    return column / stretch % 2 == 0 ? 1 : -1;
  }
  default: {
    const double apart = std::ldexp(1.0, -1 - static_cast<int>(stream.seed / 8 % 3));
    return alone ? 1 : column % 2 == 0 ? 1 + apart : 1 - apart;
  }
  }
}

// All twos, and one five; every other row has fours and zeros in their place.
std::int64_t moved_at(const Stream& stream, std::int64_t row, std::int64_t column)
{
  const std::int64_t apart = k_distances[stream.seed / 4 % k_distances.size()];
  const std::int64_t lower = column % (2 * apart) < apart ? column : column - apart;
  const auto top = static_cast<std::int64_t>(shared(stream, 0, static_cast<std::uint64_t>(stream.row)));
  if (column == top) {
    return 5;
  }
  const bool whole = lower + apart < stream.row && lower != top && lower + apart != top;
  return !whole || row % 2 == 0 ? 2 : column == lower ? 4 : 0;
}

std::int64_t reordered_at(const Stream& stream, std::int64_t row, std::int64_t column)
{
  const std::int64_t length = stream.row;
  std::int64_t from = column;
  switch (stream.seed % 4) {
  case 0: // moved on by so many for each row
    from = (column + row * k_distances[stream.seed / 8 % k_distances.size()]) % length;
    break;
  case 1: // from either end in turn
    from = row % 2 == 0 ? column : length - 1 - column;
    break;
  case 2: { // two have changed places
    const auto many = static_cast<std::uint64_t>(length);
    const auto one = static_cast<std::int64_t>(shared(stream, ~(2 * row), many));
    const auto other = static_cast<std::int64_t>(shared(stream, ~(2 * row + 1), many));
    from = column == one ? other : column == other ? one : column;
    break;
  }
  default:
    return moved_at(stream, row, column);
  }
  const bool only_one = stream.seed / 4 % 2 == 0;
  return only_one ? (from == 0 ? 1 : 0) : static_cast<std::int64_t>(shared(stream, from, 4));
}

// Elements from `first` on of what `at` says of each row and column.
template <class T, class At>
void write_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first, At at)
{
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    values[i] = static_cast<T>(at(stream, index / stream.row, index % stream.row));
  }
}

} // namespace

template <class T> void balanced(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  write_rows(stream, values, count, first, balanced_at);
}

template <class T> void reordered(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  write_rows(stream, values, count, first, reordered_at);
}

template void balanced(const Stream& stream, float* values, std::size_t count, std::int64_t first);
template void balanced(const Stream& stream, double* values, std::size_t count, std::int64_t first);
template void reordered(const Stream& stream, float* values, std::size_t count, std::int64_t first);
template void reordered(const Stream& stream, double* values, std::size_t count, std::int64_t first);

} // namespace hone
