#include "inputs/value_structures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace hone {

namespace {

// Of a value, that differ where two are nearly the same: down to one unit of the last place that f32 has.
constexpr std::array k_last_bits{0x1p-10, 0x1p-14, 0x1p-18, 0x1p-21, 0x1p-23, 0x1p-24};
constexpr std::array k_far_below{-1e4, -1e9}; // no exponential of that is anything; f16 and integers get less

// Where an element stands. Planes are square where rows come in such groups; their real extents are not known here.
struct Spot {
  std::int64_t row = 0, column = 0; // of all rows
  std::int64_t line = 0;            // its row within its plane
  std::int64_t plane = 0;
};

class Structure {
public:
  explicit Structure(const Stream& stream)
    : m_stream(stream), m_rows(std::max<std::int64_t>(stream.elements / stream.row, 1)),
      m_bits(scattered(stream.seed ^ 0x5eed)), m_kind(is_shared() ? k_alike : m_bits % k_kinds),
      m_parameter(static_cast<std::int64_t>(m_bits / k_kinds % 1024)), m_lines(lines()),
      m_last_bits(k_last_bits[stream.set_seed / 128 % k_last_bits.size()])
  {
  }

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

  // Elements from the first one on; they hold what they would be otherwise. A loop for each kind, which is not asked
  // for at every element.
  template <class T, std::uint64_t kind = 0> void write(T* values, std::size_t count, std::int64_t first) const
  {
    if (kind == m_kind) {
      write_as<kind>(values, count, first);
    } else if constexpr (kind < k_alike) {
      write<T, kind + 1>(values, count, first);
    }
  }

private:
  static constexpr std::uint64_t k_in_runs = 4, k_mirrored = 10, k_same_rows = 11, k_kinds = 13, k_alike = k_kinds;
  static constexpr std::int64_t k_none = -1;

  template <std::uint64_t kind, class T> void write_as(T* values, std::size_t count, std::int64_t first) const
  {
    Spot spot = spot_of(first);
    std::int64_t flaw = flaw_of(spot.row);
    for (std::size_t i = 0; i < count; ++i) {
      if (spot.column != flaw) {
        values[i] = static_cast<T>(at<kind>(spot, static_cast<double>(values[i])));
      } else if (kind == k_in_runs) {
        values[i] *= T(8); // or it would hardly ever be a row's largest
      }
      go_on(spot);
      if (spot.column == 0) {
        flaw = flaw_of(spot.row);
      }
    }
  }

  // The column of a row that is not as the structure says, as one row in four has one, or one in 32; else none.
  std::int64_t flaw_of(std::int64_t row) const
  {
    if (m_kind == k_mirrored || m_kind == k_same_rows || m_kind == k_alike) {
      return k_none; // each element is a little off
    }
    const std::uint64_t bits = scattered(m_bits ^ static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U);
    const std::uint64_t rarity = parameter() / 16 % 2 == 0 ? 4 : 32;
    return bits % rarity == 0 ? static_cast<std::int64_t>(bits / rarity % static_cast<std::uint64_t>(m_stream.row))
                              : k_none;
  }

  template <std::uint64_t kind> double at(const Spot& spot, double plain) const
  {
    switch (kind) {
    case 0:
      return is_in_band(spot) ? plain : 0;
    case 1:
      return (parameter() % 2 == 0) == (spot.line < spot.column) ? 0 : plain;
    case 2:
      return same_from_all_sides(spot);
    case 3:
      return repeated(spot);
    case k_in_runs:
      return in_runs(spot);
    case 5:
      return sign_beside(spot)
             * drawn(parameter() % 3 == 0   ? spot.column
                     : parameter() % 3 == 1 ? spot.row
                                            : spot.plane,
                     0);
    case 6:
      return sign_beside(spot) * drawn(spot.column, 0) * static_cast<double>(1 << spot.row % 4) / 2;
    case 7:
      return drawn(spot.column / 2, parameter() % 2 == 0 ? spot.row : spot.row / 2);
    case 8:
      return scattered(m_bits + static_cast<std::uint64_t>(spot.line * m_stream.row + spot.column)) % 4 == 0 ? 0
                                                                                                             : plain;
    case 9: // of each plane another permutation
      return (spot.line * (1 + 2 * (parameter() % 2)) + spot.plane * 3) % m_stream.row == spot.column ? 1 : 0;
    case k_mirrored:
      return mirrored(spot, plain);
    case k_same_rows:
      return sign_beside(spot) * drawn(spot.column, 0) * (1 + plain * m_last_bits);
    case k_alike:
      return drawn_by(m_stream.set_seed, spot.row, spot.column) * (1 + plain * m_last_bits);
    default:
      return masked_tail(spot, plain);
    }
  }

  // Of all tensors or none.
  bool is_shared() const { return m_stream.set_seed / 16 % 8 == 0; }

  std::int64_t parameter() const { return m_parameter; }

  // Rows of a plane.
  std::int64_t lines() const
  {
    constexpr std::int64_t k_most_planes = 64;
    const std::uint64_t choice = m_bits >> 40;
    if (choice % 4 == 0 && m_rows % m_stream.row == 0) {
      return m_stream.row;
    }
    std::vector<std::int64_t> planes;
    for (std::int64_t count = 2; count <= std::min(m_rows, k_most_planes) && choice % 4 != 1; ++count) {
      if (m_rows % count == 0) {
        planes.push_back(count);
      }
    }
    if (!planes.empty()) {
      return m_rows / planes[choice / 4 % planes.size()];
    }
    return m_rows;
  }

  // From -2 up to 2, the same for the same two numbers.
  double drawn(std::int64_t one, std::int64_t other) const { return drawn_by(m_stream.seed, one, other); }

  static double drawn_by(std::uint64_t seed, std::int64_t one, std::int64_t other)
  {
    const std::uint64_t bits = scattered(seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(one)
                                         + 0xbf58476d1ce4e5b9U * static_cast<std::uint64_t>(other));
    return static_cast<double>(bits >> 11) * 0x1p-51 - 2;
  }

  double mirrored(const Spot& spot, double plain) const
  {
    const std::int64_t other = m_stream.row - 1 - spot.column;
    const double sign = spot.column > other && parameter() % 2 == 0 ? -1 : 1;
    return sign * drawn(std::min(spot.column, other), spot.row) * (1 + plain * m_last_bits);
  }

  // Of two factors, which follow each other among the arguments, only one is the same all along. Products that are all
  // alike would be rounded to one side by a chain of additions, so that one that is right errs more than others: the
  // other factor has pairs of either sign.
  double sign_beside(const Spot& spot) const
  {
    return m_stream.position % 2 == 0 || (spot.row / 2 + spot.column / 2) % 2 == 0 ? 1 : -1;
  }

  // As of differences between neighbours; every other time the first and last rows and columns hold their diagonal
  // only.
  bool is_in_band(const Spot& spot) const
  {
    const bool at_end =
      spot.line == 0 || spot.column == 0 || spot.line == m_lines - 1 || spot.column == m_stream.row - 1;
    const std::int64_t width = at_end && parameter() % 2 == 0 ? 0 : 1 + parameter() / 2 % 3;
    return std::abs(spot.line - spot.column) <= width;
  }

  double same_from_all_sides(const Spot& spot) const
  {
    const std::int64_t across = std::min(spot.column, m_stream.row - 1 - spot.column);
    const std::int64_t down = std::min(spot.line, m_lines - 1 - spot.line);
    const std::int64_t other = spot.plane * m_lines * m_stream.row;
    return drawn(std::min(across, down), other + std::max(across, down));
  }

  // Every other plane differs from the first one in the middle third of its rows.
  double repeated(const Spot& spot) const
  {
    const bool middle = spot.line >= m_lines / 3 && spot.line < m_lines - m_lines / 3;
    const bool differs = middle && spot.plane % 2 == 1;
    return drawn(spot.line * m_stream.row + spot.column, differs ? spot.plane : 0);
  }

  // Each begins a little higher than the one before, or as low. Of some seeds all of the row is one.
  double in_runs(const Spot& spot) const
  {
    const std::int64_t runs = parameter() / 32 % 4 == 0 ? 1 : 2 + parameter() % 4;
    const std::int64_t length = std::max<std::int64_t>(m_stream.row / runs, 2);
    const double within = static_cast<double>(spot.column % length) / static_cast<double>(length);
    const double step = parameter() / 4 % 2 == 0 ? 0 : 0.5;
    return 4 * within - 2 + step * static_cast<double>(spot.column / length) + drawn(spot.row, 1) / 4;
  }

  double masked_tail(const Spot& spot, double plain) const
  {
    const std::uint64_t bits = scattered(m_bits + static_cast<std::uint64_t>(spot.row));
    const auto begin = static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(m_stream.row));
    const auto alone = static_cast<std::int64_t>(bits / 4096 % static_cast<std::uint64_t>(m_stream.row));
    const bool island =
      parameter() % 2 == 0 ? spot.column == alone : scattered(bits + static_cast<std::uint64_t>(spot.column)) % 32 == 0;
    return spot.column >= begin && !island ? far_below() : plain;
  }

  double far_below() const
  {
    constexpr double k_in_any_type = -64;
    const bool wide =
      m_stream.type == DataType::f32 || m_stream.type == DataType::f64 || m_stream.type == DataType::bf16;
    return wide ? k_far_below[static_cast<std::size_t>(parameter() / 2 % 2)] : k_in_any_type;
  }

  const Stream& m_stream;
  std::int64_t m_rows;
  std::uint64_t m_bits;
  std::uint64_t m_kind;
  std::int64_t m_parameter;
  std::int64_t m_lines;
  double m_last_bits;
};

} // namespace

template <class T> void nearly(const Stream& stream, T* values, std::size_t count, std::int64_t first)
{
  Structure(stream).write(values, count, first);
}

template void nearly(const Stream& stream, float* values, std::size_t count, std::int64_t first);
template void nearly(const Stream& stream, double* values, std::size_t count, std::int64_t first);

} // namespace hone
