// Sizes near edges of tiles and vectors, and with one long extent.
#include "inputs/size_draw.h"
#include "inputs/stress_inputs.h"
#include "kernel/size_conditions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace hone::inputs {
namespace {

std::vector<std::int64_t> edges(const kernel::TuningPoint& point, Random& random)
{
  constexpr std::array<std::int64_t, 16> k_primes{5, 7, 11, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 61, 67, 97};
  constexpr std::array<std::int64_t, 8> k_not_powers{6, 12, 20, 24, 40, 48, 72, 96};
  std::set<std::int64_t> extents{1, 2, 3, 31, 33};
  extents.insert(k_primes[random.below(k_primes.size())]);
  extents.insert(k_not_powers[random.below(k_not_powers.size())]);
  for (const auto& [name, value] : point) {
    if (value >= 3 && value <= k_largest_landmark) {
      extents.insert({value - 1, value, value + 1});
    }
  }
  return {extents.begin(), extents.end()};
}

// Every symbol walks through the edges in an order of its own.
Result<void> draw_edges(SizeDraw& draw)
{
  constexpr std::size_t k_most_rounds = 16; // per wanted size
  Random& random = draw.random();
  std::map<std::string, std::vector<std::int64_t>> extents;
  for (const std::string& symbol : draw.symbols()) {
    extents[symbol] = edges(draw.point, random);
    std::shuffle(extents[symbol].begin(), extents[symbol].end(), random);
  }
  std::set<kernel::Sizes> seen(draw.kernel().timed.begin(), draw.kernel().timed.end());
  for (std::size_t round = 0; draw.drawn().size() < draw.count && round < k_most_rounds * draw.count; ++round) {
    kernel::Sizes sizes;
    for (auto& [symbol, values] : extents) {
      if (round > 0 && round % values.size() == 0) {
        std::shuffle(values.begin(), values.end(), random);
      }
      sizes[symbol] = values[round % values.size()];
    }
    sizes = kernel::with_conditions_met(draw.kernel(), std::move(sizes));
    HONE_CHECK(make_cheap(draw.kernel(), sizes, draw.limit(), random));
    sizes = kernel::with_conditions_met(draw.kernel(), std::move(sizes));
    // Some mean nothing: a window larger than the image, say.
    if (kernel::check_sizes(draw.kernel(), sizes) && seen.insert(sizes).second) {
      draw.drawn().push_back(std::move(sizes));
    }
  }
  return {};
}

// The others have room for a tile or two. No sum is so long that it is fit for a few kinds of values only.
Result<void> draw_long_ones(SizeDraw& draw)
{
  constexpr std::int64_t k_least = 256, k_most = 1500;
  constexpr std::array<std::int64_t, 5> k_rooms{40, 20, 12, 6, 2}; // of the other symbols
  std::vector<std::string> symbols = draw.symbols();
  std::shuffle(symbols.begin(), symbols.end(), draw.random());
  for (std::size_t turn = 0; turn < std::max(draw.count, symbols.size()) && !symbols.empty(); ++turn) {
    for (const std::int64_t room : k_rooms) {
      kernel::Sizes sizes = draw.others_of((room + 1) / 2, room);
      sizes[symbols[turn % symbols.size()]] = draw.between(k_least, k_most);
      if (draw.drawn().size() == draw.count || has_long_sums(draw.kernel(), sizes)) {
        continue;
      }
      HONE_TRY(const bool added, draw.add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
  }
  return {};
}

// Beside it the others leave room for a few tiles, or for as many as the limit allows.
Result<void> draw_larger(SizeDraw& draw)
{
  constexpr std::array<std::int64_t, 5> k_rooms{66, 36, 18, 6, 2}; // of the other symbols, or up to twice that
  std::int64_t largest_tile = 1;
  for (const auto& [name, value] : draw.point) {
    largest_tile = value <= k_largest_landmark ? std::max(largest_tile, value) : largest_tile;
  }
  for (const std::string& symbol : draw.symbols()) {
    const std::int64_t largest = std::max(largest_tile, longest_timed(draw.kernel(), symbol));
    const std::int64_t extent = largest + draw.up_to(std::max<std::int64_t>(largest / 2, 8));
    for (const std::int64_t room : k_rooms) {
      kernel::Sizes sizes = draw.others_of(room, 2 * room - 1);
      sizes[symbol] = extent;
      HONE_TRY(const bool added, draw.add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
  }
  return {};
}

Result<void> draw_thin(SizeDraw& draw)
{
  constexpr int k_of_each = 3;
  for (const std::string& symbol : draw.symbols()) {
    for (int i = 0; i < k_of_each; ++i) {
      kernel::Sizes sizes = draw.others_of(1, k_thin);
      sizes[symbol] = k_long_extent + draw.up_to(2 * longest_timed(draw.kernel(), symbol));
      HONE_CHECK(draw.try_to_add(sizes));
    }
  }
  return {};
}

constexpr std::array k_near_rows{
  SizeRow{"edges", SizeGroup::hidden, "kernels with sizes other than the timed ones",
          "1, 2, 3, 31, 33, a prime, a number that is no power of two, and the tuning values with their neighbours",
          "Remainders of vectors and tiles.", draw_edges},
  SizeRow{"long", SizeGroup::longer, "the same", "one symbol from 256 to 1,500, the others up to 40",
          "Blocks of blocks, at sizes at which every family of values is affordable.", draw_long_ones},
  SizeRow{"larger", SizeGroup::further, "all kernels",
          "for every symbol one size in which it is up to half as large again as at any timed size and than any tile, "
          "the others from 66 on, as far as the limit allows",
          "What only shows in a whole tile behind a whole block.", draw_larger},
  SizeRow{
    "thin", SizeGroup::further, "all kernels",
    "for every symbol three sizes in which it is long, up to twice the longest timed one, and the others are 1 to 4",
    "Long loops beside extents that are shorter than any tile.", draw_thin},
};

} // namespace

std::span<const SizeRow> near_size_rows()
{
  return k_near_rows;
}

} // namespace hone::inputs
