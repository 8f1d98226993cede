// Sizes that hold, together, an extent of every third of an octave of every symbol.
#include "inputs/size_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace hone::inputs {
namespace {

constexpr int k_strata_per_octave = 3;
constexpr double k_first_stratum = 4;
constexpr std::array k_strata_octaves{18, 14, 10}; // of the only symbol; of each of two; of each of more
constexpr std::size_t k_few_strata_symbols = 3;
constexpr double k_strata_work = 3; // times the limit, beside extents that are no rarity

// One extent of each, in any order.
std::vector<std::int64_t> strata_of(int octaves, Random& random)
{
  std::vector<std::int64_t> extents;
  for (int i = 0; i < octaves * k_strata_per_octave; ++i) {
    const double exponent = (i + random.uniform()) / k_strata_per_octave;
    extents.push_back(static_cast<std::int64_t>(k_first_stratum * std::pow(2, exponent)));
  }
  std::shuffle(extents.begin(), extents.end(), random);
  return extents;
}

// With other extents of all symbols but those that are kept.
Result<void> add_beside_no_rarity(SizeDraw& draw, kernel::Sizes sizes, const std::vector<std::string>& kept)
{
  constexpr std::array<std::int64_t, 5> k_rooms{130, 48, 20, 12, 8}; // from a quarter of that on
  constexpr std::size_t k_tries_of_room = 2;
  bool added = false;
  for (std::size_t i = 0; i < k_rooms.size() * k_tries_of_room && !added; ++i) {
    const std::int64_t room = k_rooms[i / k_tries_of_room];
    for (auto& [symbol, extent] : sizes) {
      if (std::ranges::find(kept, symbol) == kept.end()) {
        extent = draw.between(room / 4, room);
      }
    }
    HONE_TRY(added, draw.add_if_cheap(sizes, k_strata_work));
  }
  return {};
}

// Of many symbols not all can be longer beside a long one: first one half of them is, then the other.
Result<void> add_beside_halves(SizeDraw& draw, const std::string& symbol, std::int64_t extent)
{
  constexpr double k_least = 9, k_most = 130;
  if (extent <= k_long_extent) {
    return {};
  }
  std::vector<std::string> others = draw.symbols();
  std::erase(others, symbol);
  std::shuffle(others.begin(), others.end(), draw.random());
  for (std::size_t turn = 0; turn < 2; ++turn) {
    bool added = false;
    for (double most = k_most; most > k_least && !added; most *= 0.8) {
      kernel::Sizes sizes = draw.others_of(1, 2);
      for (std::size_t i = turn; i < others.size(); i += 2) {
        sizes[others[i]] = static_cast<std::int64_t>(k_least * std::pow(most / k_least, draw.random().uniform()));
      }
      sizes[symbol] = extent;
      HONE_TRY(added, draw.add_if_cheap(sizes, k_strata_work));
    }
  }
  return {};
}

// The next of one symbol beside the next ones of the others; where that is too much, beside small ones in the place of
// the longest, and once or twice more beside ones that are no rarity, as large as is affordable.
Result<void> add_stratum(SizeDraw& draw, const std::string& owner,
                         std::map<std::string, std::vector<std::int64_t>>& left)
{
  kernel::Sizes sizes = draw.others_of(1, k_thin);
  std::vector<std::string> taken;
  for (const std::string& symbol : draw.symbols()) {
    if (!left[symbol].empty()) {
      sizes[symbol] = left[symbol].back();
      taken.push_back(symbol);
    }
  }
  std::erase(taken, owner);
  HONE_TRY(bool added, draw.add_if_cheap(sizes));
  const bool are_all_long = added && taken.size() + 1 == draw.symbols().size();
  while (!added && !taken.empty()) {
    const auto longest = std::ranges::max_element(taken, {}, [&](const std::string& symbol) { return sizes[symbol]; });
    sizes[*longest] = draw.up_to(k_thin);
    taken.erase(longest);
    HONE_TRY(added, draw.add_if_cheap(sizes));
  }
  taken.push_back(owner);
  if (draw.symbols().size() > k_few_strata_symbols) {
    for (const std::string& symbol : taken) {
      HONE_CHECK(add_beside_halves(draw, symbol, sizes[symbol]));
    }
  } else if (!are_all_long) {
    HONE_CHECK(add_beside_no_rarity(draw, sizes, taken));
  }
  for (const std::string& symbol : taken) {
    left[symbol].pop_back();
  }
  return {};
}

Result<void> draw_all_strata(SizeDraw& draw)
{
  const std::size_t octaves = std::min(draw.symbols().size(), k_strata_octaves.size());
  std::map<std::string, std::vector<std::int64_t>> left;
  for (const std::string& symbol : draw.symbols()) {
    left[symbol] = strata_of(k_strata_octaves[octaves - 1], draw.random());
  }
  for (const std::string& symbol : draw.symbols()) {
    while (!left[symbol].empty()) {
      HONE_CHECK(add_stratum(draw, symbol, left));
    }
  }
  return {};
}

// Beyond what strata of many symbols go to: beside all others as long as is affordable, and beside either half of many.
Result<void> draw_far_strata(SizeDraw& draw)
{
  constexpr int k_far_octaves = 5;
  if (draw.symbols().size() < k_few_strata_symbols) {
    return {};
  }
  for (const std::string& symbol : draw.symbols()) {
    for (int octave = 0; octave < k_far_octaves; ++octave) {
      kernel::Sizes sizes = draw.others_of(1, k_thin);
      sizes[symbol] = static_cast<std::int64_t>(std::ldexp(k_first_stratum, k_strata_octaves.back() + octave)
                                                * std::exp2(draw.random().uniform()));
      HONE_CHECK(add_beside_no_rarity(draw, sizes, {symbol}));
      if (draw.symbols().size() > k_few_strata_symbols) {
        HONE_CHECK(add_beside_halves(draw, symbol, sizes[symbol]));
      }
    }
  }
  return {};
}

constexpr std::array k_strata_rows{
  SizeRow{
    "strata", SizeGroup::strata, "all kernels",
    "an extent of every third of an octave of every symbol, from 4 to 4,096 (to 65,536 of two symbols, to a million "
    "of one) as far as the limit allows; long ones beside small ones and beside others that are no rarity",
    "Whatever goes wrong in a range of one symbol, wherever the range begins.", draw_all_strata},
  SizeRow{"strata-far", SizeGroup::strata, "three symbols and more", "an octave apart from 4,096 to 131,072",
          "The same far beyond.", draw_far_strata},
};

} // namespace

std::span<const SizeRow> strata_size_rows()
{
  return k_strata_rows;
}

} // namespace hone::inputs
