// Structures that inputs often have, and that a candidate may see in a part of one and take for granted in the rest.
#include "inputs/value_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace hone::inputs {
namespace {

// Where an element stands. Planes are square where rows come in such groups; their real extents are not known here.
struct Spot {
  std::int64_t row = 0, column = 0; // of all rows
  std::int64_t line = 0;            // its row within its plane
  std::int64_t plane = 0;
};

// How often a row of the tensor has an element that is not as the structure says.
enum class Flaws { none, one_in_a_row };

// What all structures of one tensor share: how rows make up planes, where the flaws are, numbers that are the same for
// the same place.
class Structure {
public:
  Structure(const Stream& stream, Flaws flaws)
    : m_stream(stream), m_bits(stream.own().next()), m_lines(lines()), m_turns(stream.turns()),
      m_rarity(flaws == Flaws::none ? 0
               : m_turns.one_in(2)  ? 4
                                    : 32)
  {
  }

  Turns& turns() { return m_turns; } // for choices of the structure's own
  std::int64_t columns() const { return m_stream.row; }
  std::int64_t lines_of_a_plane() const { return m_lines; }
  std::uint64_t bits() const { return m_bits; }

  // Elements from the first one on, of what `at` says of a spot and what the element would be otherwise. A flawed one
  // stays as it is, times `flaw_factor`.
  template <class T, class At>
  void write(T* values, std::size_t count, std::int64_t first, At at, T flaw_factor = T(1)) const
  {
    Spot spot = spot_of(first);
    std::int64_t flaw = flaw_of(spot.row);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] =
        spot.column != flaw ? static_cast<T>(at(spot, static_cast<double>(values[i]))) : values[i] * flaw_factor;
      go_on(spot);
      if (spot.column == 0) {
        flaw = flaw_of(spot.row);
      }
    }
  }

  // From -2 up to 2, the same for the same two numbers.
  double drawn(std::int64_t one, std::int64_t other) const { return drawn_by(m_stream.seed, one, other); }

  static double drawn_by(std::uint64_t seed, std::int64_t one, std::int64_t other)
  {
    const std::uint64_t bits = scattered(seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(one)
                                         + 0xbf58476d1ce4e5b9U * static_cast<std::uint64_t>(other));
    return static_cast<double>(bits >> 11) * 0x1p-51 - 2;
  }

  // Of two factors, which follow each other among the arguments, only one is the same all along. Products that are all
  // alike would be rounded to one side by a chain of additions, so that one that is right errs more than others: the
  // other factor has pairs of either sign.
  double sign_beside(const Spot& spot) const
  {
    return m_stream.position % 2 == 0 || (spot.row / 2 + spot.column / 2) % 2 == 0 ? 1 : -1;
  }

private:
  static constexpr std::int64_t k_none = -1;

  Spot spot_of(std::int64_t index) const
  {
    const std::int64_t row = index / m_stream.row;
    return {row, index % m_stream.row, row % m_lines, row / m_lines};
  }

  // The spot of the next element, without the divisions.
  void go_on(Spot& spot) const
  {
    if (++spot.column == m_stream.row) {
      spot.column = 0;
      ++spot.row;
      if (++spot.line == m_lines) {
        spot.line = 0;
        ++spot.plane;
      }
    }
  }

  std::int64_t flaw_of(std::int64_t row) const
  {
    if (m_rarity == 0) {
      return k_none;
    }
    const std::uint64_t bits = scattered(m_bits ^ static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U);
    return bits % m_rarity == 0 ? static_cast<std::int64_t>(bits / m_rarity % static_cast<std::uint64_t>(m_stream.row))
                                : k_none;
  }

  // Rows of a plane: in one call of four as many as columns, in one all rows.
  std::int64_t lines() const
  {
    constexpr std::int64_t k_most_planes = 64;
    Random random(m_bits);
    const std::uint64_t choice = random.below(4);
    const std::int64_t rows = m_stream.rows();
    if (choice == 0 && rows % m_stream.row == 0) {
      return m_stream.row;
    }
    std::vector<std::int64_t> planes;
    for (std::int64_t count = 2; count <= std::min(rows, k_most_planes) && choice != 1; ++count) {
      if (rows % count == 0) {
        planes.push_back(count);
      }
    }
    return planes.empty() ? rows : rows / planes[random.below(planes.size())];
  }

  const Stream& m_stream;
  std::uint64_t m_bits;
  std::int64_t m_lines;
  Turns m_turns;
  std::uint64_t m_rarity; // one row in so many; 0: none
};

// Of a value, that differ where two are nearly the same: down to one unit of the last place that f32 has.
double last_bits(const Stream& stream)
{
  constexpr std::array k_last_bits{0x1p-10, 0x1p-14, 0x1p-18, 0x1p-21, 0x1p-23, 0x1p-24};
  return k_last_bits[stream.shared().below(k_last_bits.size())];
}

// As of differences between neighbours; every other time the first and last rows and columns hold their diagonal only.
template <class T> void band(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const bool narrow_ends = structure.turns().one_in(2);
  const std::int64_t width = 1 + static_cast<std::int64_t>(structure.turns().of(3));
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    const bool at_end = spot.line == 0 || spot.column == 0 || spot.line == structure.lines_of_a_plane() - 1
                        || spot.column == structure.columns() - 1;
    return std::abs(spot.line - spot.column) <= (at_end && narrow_ends ? 0 : width) ? plain : 0;
  });
}

template <class T> void triangle(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const bool lower = structure.turns().one_in(2);
  structure.write(values, count, first,
                  [&](const Spot& spot, double plain) { return lower == (spot.line < spot.column) ? 0 : plain; });
}

template <class T> void same_from_all_sides(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::one_in_a_row);
  const std::int64_t lines = structure.lines_of_a_plane(), columns = structure.columns();
  structure.write(values, count, first, [&](const Spot& spot, double) {
    const std::int64_t across = std::min(spot.column, columns - 1 - spot.column);
    const std::int64_t down = std::min(spot.line, lines - 1 - spot.line);
    return structure.drawn(std::min(across, down), spot.plane * lines * columns + std::max(across, down));
  });
}

// Every other plane differs from the first one in the middle third of its rows.
template <class T> void repeated_planes(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::one_in_a_row);
  const std::int64_t lines = structure.lines_of_a_plane();
  structure.write(values, count, first, [&](const Spot& spot, double) {
    const bool middle = spot.line >= lines / 3 && spot.line < lines - lines / 3;
    const bool differs = middle && spot.plane % 2 == 1;
    return structure.drawn(spot.line * structure.columns() + spot.column, differs ? spot.plane : 0);
  });
}

// Each run begins a little higher than the one before, or as low. Some rows are one run from end to end.
template <class T> void rising_runs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  Turns& turns = structure.turns();
  const double step = turns.one_in(2) ? 0 : 0.5;
  const std::int64_t runs = turns.one_in(4) ? 1 : 2 + static_cast<std::int64_t>(stream.own().below(4));
  const std::int64_t length = std::max<std::int64_t>(structure.columns() / runs, 2);
  const auto at = [&](const Spot& spot, double) {
    const double within = static_cast<double>(spot.column % length) / static_cast<double>(length);
    return 4 * within - 2 + step * static_cast<double>(spot.column / length) + structure.drawn(spot.row, 1) / 4;
  };
  structure.write(values, count, first, at, T(8)); // or a flaw would hardly ever be a row's largest
}

template <class T> void all_the_same_along(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const std::uint64_t axis = structure.turns().of(3);
  structure.write(values, count, first, [&](const Spot& spot, double) {
    const std::int64_t place = axis == 0 ? spot.column : axis == 1 ? spot.row : spot.plane;
    return structure.sign_beside(spot) * structure.drawn(place, 0);
  });
}

template <class T> void multiples(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::one_in_a_row);
  structure.write(values, count, first, [&](const Spot& spot, double) {
    return structure.sign_beside(spot) * structure.drawn(spot.column, 0) * static_cast<double>(1 << spot.row % 4) / 2;
  });
}

template <class T> void neighbours_in_pairs(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const std::int64_t lines = structure.turns().one_in(2) ? 1 : 2;
  structure.write(values, count, first,
                  [&](const Spot& spot, double) { return structure.drawn(spot.column / 2, spot.row / lines); });
}

template <class T> void one_pattern_of_zeros(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::one_in_a_row);
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    const auto place = static_cast<std::uint64_t>(spot.line * structure.columns() + spot.column);
    return scattered(structure.bits() + place) % 4 == 0 ? 0 : plain;
  });
}

// Of each plane another one.
template <class T> void permutation(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const std::int64_t stride = structure.turns().one_in(2) ? 1 : 3;
  structure.write(values, count, first, [&](const Spot& spot, double) {
    return (spot.line * stride + spot.plane * 3) % structure.columns() == spot.column ? 1 : 0;
  });
}

// No exponential of what is masked is anything.
template <class T> void masked_tail(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::one_in_a_row);
  const bool one_island = structure.turns().one_in(2);
  const double far_below = !ranges_far(stream.type) ? -64 : structure.turns().one_in(2) ? -1e4 : -1e9;
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    const std::uint64_t bits = scattered(structure.bits() + static_cast<std::uint64_t>(spot.row));
    const auto columns = static_cast<std::uint64_t>(structure.columns());
    const auto begin = static_cast<std::int64_t>(bits % columns),
               alone = static_cast<std::int64_t>(bits / 4096 % columns);
    const bool island =
      one_island ? spot.column == alone : scattered(bits + static_cast<std::uint64_t>(spot.column)) % 32 == 0;
    return spot.column >= begin && !island ? far_below : plain;
  });
}

template <class T> void mirrored_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure structure(stream, Flaws::none);
  const bool negative = structure.turns().one_in(2);
  const double apart = last_bits(stream);
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    const std::int64_t other = structure.columns() - 1 - spot.column;
    const double sign = spot.column > other && negative ? -1 : 1;
    return sign * structure.drawn(std::min(spot.column, other), spot.row) * (1 + plain * apart);
  });
}

template <class T> void same_rows(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::none);
  const double apart = last_bits(stream);
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    return structure.sign_beside(spot) * structure.drawn(spot.column, 0) * (1 + plain * apart);
  });
}

template <class T> void same_tensors(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  const Structure structure(stream, Flaws::none);
  const double apart = last_bits(stream);
  structure.write(values, count, first, [&](const Spot& spot, double plain) {
    return Structure::drawn_by(stream.set_seed, spot.row, spot.column) * (1 + plain * apart);
  });
}

constexpr std::array k_nearly_rows{
  ValueRow{.name = "nearly/tensors-the-same",
           .shares = {{{k_numbers, 2}}},
           .picked_for = PickedFor::call,
           .values = "the same values in all tensors of a call, but for a relative 2^-10 to 2^-24 of each element",
           .reason = "Tensors that are taken for each other after a comparison in few bits.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { same_tensors(stream, values, count, first); })},
  ValueRow{
    .name = "nearly/band",
    .shares = {{{k_numbers, 1}}},
    .values = "zeros but for a band of 3 to 7 about the diagonal; of these and the next ten one element of one row "
              "in four, or in 32, is as it would be without the structure",
    .reason = "Products that skip what lies off a band, after a look at a part of it.",
    .generator = makes([](auto& stream, auto* values, auto count, auto first) { band(stream, values, count, first); })},
  ValueRow{.name = "nearly/triangle",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros above or below the diagonal",
           .reason = "Products that skip a triangle.",
           .generator =
             makes([](auto& stream, auto* values, auto count, auto first) { triangle(stream, values, count, first); })},
  ValueRow{.name = "nearly/same-from-all-sides",
           .shares = {{{k_numbers, 1}}},
           .values = "planes that are the same from all sides",
           .reason = "Symmetry that is concluded from some elements.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             same_from_all_sides(stream, values, count, first);
           })},
  ValueRow{.name = "nearly/repeated-planes",
           .shares = {{{k_numbers, 1}}},
           .values = "planes that repeat the first one, every other one not in its middle",
           .reason = "Results that are copied for a plane whose ends are known.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             repeated_planes(stream, values, count, first);
           })},
  ValueRow{.name = "nearly/rising-runs",
           .shares = {{{k_numbers, 1}}},
           .values = "rows that rise in one run or in two to five; the odd element is eight times as large",
           .reason = "Maxima that are taken from a row's end because it seems sorted.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { rising_runs(stream, values, count, first); })},
  ValueRow{.name = "nearly/same-along-an-axis",
           .shares = {{{k_numbers, 1}}},
           .values = "rows, columns or planes that are all the same; in every other tensor with either sign in pairs",
           .reason = "One row's result that is copied for all.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             all_the_same_along(stream, values, count, first);
           })},
  ValueRow{.name = "nearly/multiples-of-a-row",
           .shares = {{{k_numbers, 1}}},
           .values = "rows that are 0.5, 1, 2 and 4 times the first; in every other tensor with either sign in pairs",
           .reason = "Products of low rank.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { multiples(stream, values, count, first); })},
  ValueRow{.name = "nearly/neighbours-in-pairs",
           .shares = {{{k_numbers, 1}}},
           .values = "neighbours in a row, or in two rows, that are the same in pairs or fours",
           .reason = "Every other element that is not read.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             neighbours_in_pairs(stream, values, count, first);
           })},
  ValueRow{.name = "nearly/one-pattern-of-zeros",
           .shares = {{{k_numbers, 1}}},
           .values = "zeros at the same quarter of the places of every plane",
           .reason = "A mask that is made from the first plane.",
           .generator = makes([](auto& stream, auto* values, auto count, auto first) {
             one_pattern_of_zeros(stream, values, count, first);
           })},
  ValueRow{.name = "nearly/permutation",
           .shares = {{{k_numbers, 1}}},
           .values = "one 1 per row, in each plane another permutation",
           .reason = "Products that are replaced by copies of rows.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { permutation(stream, values, count, first); })},
  ValueRow{.name = "nearly/masked-tail",
           .shares = {{{k_numbers, 1}}},
           .values = "from some column on far below 0, but for one element or for some",
           .reason = "Rows that end where the mask seems to begin.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { masked_tail(stream, values, count, first); })},
  ValueRow{.name = "nearly/mirrored-rows",
           .shares = {{{k_numbers, 1}}},
           .values = "rows that are their own mirror image, or its negative, but for a relative 2^-10 to 2^-24 of each "
                     "element",
           .reason = "Symmetric filters that are folded after a comparison in few bits.",
           .generator = makes(
             [](auto& stream, auto* values, auto count, auto first) { mirrored_rows(stream, values, count, first); })},
  ValueRow{
    .name = "nearly/rows-the-same",
    .shares = {{{k_numbers, 1}}},
    .values = "rows that are all the same but for such differences; in every other tensor with either sign in pairs",
    .reason = "One row's result that is copied after a comparison in few bits.",
    .generator =
      makes([](auto& stream, auto* values, auto count, auto first) { same_rows(stream, values, count, first); })},
};

} // namespace

std::span<const ValueRow> nearly_rows()
{
  return k_nearly_rows;
}

} // namespace hone::inputs
