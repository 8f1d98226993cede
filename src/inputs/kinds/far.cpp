// Sizes far beyond the timed ones.
#include "inputs/inputs.h"
#include "inputs/size_draw.h"
#include "kernel/size_conditions.h"

#include <array>
#include <cmath>

namespace hone::inputs {
namespace {

// Where all others have room, only a shorter extent is affordable: every other time no more than one of them has.
kernel::Sizes others_of_far(SizeDraw& draw)
{
  constexpr std::array<std::int64_t, 4> k_rooms{4, 16, 48, 130}; // of the other symbols, from a quarter of that on
  const auto& symbols = draw.symbols();
  const bool only_one = draw.random().below(2) == 0;
  const std::string& one = symbols[draw.random().below(symbols.size())];
  kernel::Sizes sizes;
  for (const std::string& other : symbols) {
    const std::size_t rooms = only_one && other != one ? 1 : k_rooms.size();
    const std::int64_t room = k_rooms[draw.random().below(rooms)];
    sizes[other] = draw.between(room / 4, room);
  }
  return sizes;
}

// All orders of magnitude alike: whoever stops somewhere does not know where.
Result<void> add_far(SizeDraw& draw, const std::string& symbol)
{
  const auto nearest = static_cast<double>(nearest_far(draw.kernel(), symbol));
  double extent = nearest * std::pow(std::max(k_farthest / nearest, 1.0), draw.random().uniform());
  for (; extent > nearest; extent /= 2) {
    kernel::Sizes sizes = others_of_far(draw);
    sizes[symbol] = static_cast<std::int64_t>(extent);
    HONE_TRY(const bool added, draw.add_if_cheap(sizes, 2));
    if (added) {
      break;
    }
  }
  return {};
}

Result<void> draw_far(SizeDraw& draw)
{
  constexpr int k_of_each = 2;
  for (const std::string& symbol : draw.symbols()) {
    for (int i = 0; i < k_of_each; ++i) {
      HONE_CHECK(add_far(draw, symbol));
    }
  }
  return {};
}

// Hardly more than 21 bits, as nothing else costs as much: beside extents of `beside`, or up to twice that where it is
// affordable. Where even those are too much, fewer bits.
Result<void> add_farthest(SizeDraw& draw, const std::string& symbol, std::int64_t beside)
{
  constexpr std::int64_t k_first_of_22_bits = 1 << 21;
  bool added = false;
  for (std::int64_t extent = draw.between(k_first_of_22_bits, k_first_of_22_bits / 4 * 5);
       extent > k_long_extent && !added;
       extent = extent > k_first_of_22_bits ? k_first_of_22_bits : extent - extent / 4) {
    for (std::int64_t most = 2 * beside; most >= beside && !added; most /= 2) {
      kernel::Sizes sizes = draw.others_of(beside, most);
      sizes[symbol] = extent;
      HONE_TRY(added, draw.add_if_cheap(sizes, 2));
    }
  }
  return {};
}

Result<void> draw_farthest(SizeDraw& draw)
{
  for (const std::string& symbol : draw.symbols()) {
    HONE_CHECK(add_farthest(draw, symbol, 1));
  }
  return {};
}

// A maximum of one element, or its share of itself, tells nothing.
Result<void> draw_farthest_beside_two(SizeDraw& draw)
{
  constexpr std::int64_t k_beside = 2;
  if (draw.symbols().size() < 2 || kernel::as_contraction(draw.kernel())) {
    return {};
  }
  for (const std::string& symbol : draw.symbols()) {
    HONE_CHECK(add_farthest(draw, symbol, k_beside));
  }
  return {};
}

Result<void> draw_farthest_beside_eight(SizeDraw& draw)
{
  constexpr std::int64_t k_beside = 8;
  if (draw.symbols().size() != 2) {
    return {};
  }
  for (const std::string& symbol : draw.symbols()) {
    HONE_CHECK(add_farthest(draw, symbol, k_beside));
  }
  return {};
}

Result<void> draw_farther(SizeDraw& draw)
{
  constexpr double k_least = 1 << 17;
  if (has_float_inputs(draw.kernel())) {
    return {};
  }
  for (const std::string& symbol : draw.symbols()) {
    kernel::Sizes sizes = draw.others_of(1, k_thin - 1);
    sizes[symbol] = static_cast<std::int64_t>(k_least * std::pow(k_farthest / k_least, draw.random().uniform()));
    HONE_CHECK(draw.try_to_add(sizes, 2));
  }
  return {};
}

constexpr std::array k_far_rows{
  SizeRow{"far", SizeGroup::further, "all kernels",
          "for every symbol two sizes in which it is longer than in any thin one, up to four million; the others are 1 "
          "to 4, 4 to 16, 12 to 48 or 32 to 130, every other time all but one of these 1 to 4",
          "Limits that a candidate has somewhere: a table, a counter, a stack.", draw_far},
  SizeRow{
    "farthest", SizeGroup::further, "all kernels",
    "for every symbol one size in which it is 2^21 to 1.25 * 2^21, or as much as is affordable; the others are 1 or 2",
    "Positions and totals in 21 bits, or in the 24 of a float.", draw_farthest},
  SizeRow{"farthest-beside-two", SizeGroup::further, "two symbols and more, no products",
          "the same beside extents of 2 to 4", "The same faults in rows of more than one element.",
          draw_farthest_beside_two},
  SizeRow{"farthest-beside-eight", SizeGroup::further, "two symbols", "the same beside extents of 8 to 16",
          "The same faults in a vector of rows.", draw_farthest_beside_eight},
  SizeRow{"farther", SizeGroup::further, "inputs of integers alone",
          "for every symbol one size in which it is 131,072 to four million; the others are 1 to 3",
          "Sums of bytes that wrap around.", draw_farther},
};

} // namespace

std::span<const SizeRow> far_size_rows()
{
  return k_far_rows;
}

Result<std::vector<kernel::Sizes>> draw_sizes_as_far(const kernel::Kernel& kernel, const kernel::Sizes& far,
                                                     std::size_t count, double work_limit, Random& random)
{
  constexpr std::uint64_t k_steps = 13; // powers of two, up to 4096
  std::vector<kernel::Sizes> drawn;
  for (std::size_t attempt = 0; attempt < count; ++attempt) {
    kernel::Sizes sizes = far;
    for (auto& [symbol, extent] : sizes) {
      const std::int64_t nearest = nearest_far(kernel, symbol);
      if (extent <= nearest) {
        extent = random.below(2) == 0 ? 1 : drawn_between(1, std::max<std::int64_t>(extent, 1), random);
        continue;
      }
      const double ratio = std::max(k_farthest / static_cast<double>(nearest), 1.0);
      extent =
        nearest + static_cast<std::int64_t>(static_cast<double>(nearest) * (std::pow(ratio, random.uniform()) - 1));
      const std::int64_t step = random.below(2) == 0 ? 1 : std::int64_t{1} << random.below(k_steps);
      extent = (extent / step + 1) * step;
    }
    sizes = kernel::with_conditions_met(kernel, std::move(sizes));
    HONE_TRY(const bool affordable, is_affordable(kernel, sizes, 2 * work_limit));
    if (affordable) {
      drawn.push_back(std::move(sizes));
    }
  }
  return drawn;
}

bool is_far_beyond(const kernel::Kernel& kernel, const kernel::Sizes& sizes)
{
  return std::ranges::any_of(sizes, [&](const auto& size) { return size.second > nearest_far(kernel, size.first); });
}

} // namespace hone::inputs
