// Sizes in which several extents are long, alike or round at once.
#include "inputs/size_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace hone::inputs {
namespace {

constexpr double k_least_room = 24;
constexpr double k_longest_middling = 1000;

// Nothing is very small beside anything else, and nothing is round. Not far beyond what is timed: there a plan may say
// that it does not go. `spread`: from the longest to the shortest; `shrink`: where that is too much.
Result<void> add_middling(SizeDraw& draw, double room, double spread, double shrink)
{
  for (; room > k_least_room && draw.symbols().size() > 1; room *= shrink) {
    kernel::Sizes sizes;
    for (const std::string& symbol : draw.symbols()) {
      const auto drawn = static_cast<std::int64_t>(room * std::pow(spread, -draw.random().uniform()));
      sizes[symbol] = std::min(drawn | 1, nearest_far(draw.kernel(), symbol));
    }
    HONE_TRY(const bool added, draw.add_if_cheap(sizes));
    if (added) {
      break;
    }
  }
  return {};
}

Result<void> draw_middling(SizeDraw& draw)
{
  constexpr std::array k_rooms{1000.0, 1000.0, 400.0, 1000.0}; // of all symbols, to begin with
  for (std::size_t i = 0; i < k_rooms.size(); ++i) {
    HONE_CHECK(add_middling(draw, k_rooms[i], i % 2 == 0 ? 2 : 8, 0.85));
  }
  return {};
}

Result<void> draw_middling_even(SizeDraw& draw)
{
  constexpr double k_spread = 1.08;
  return add_middling(draw, k_longest_middling, k_spread, 0.99);
}

// Where not all symbols can be long at once. The others are up to `beside` at first, then up to `beside_shorter`.
Result<void> add_broad(SizeDraw& draw, std::size_t together, double shrink, std::int64_t beside,
                       std::int64_t beside_shorter)
{
  constexpr std::size_t k_most = 10;
  constexpr double k_room = 2000; // from half of that on
  if (draw.symbols().size() <= together) {
    return {};
  }
  std::vector<std::vector<std::string>> all = combinations(draw.symbols(), together);
  std::shuffle(all.begin(), all.end(), draw.random());
  all.resize(std::min(all.size(), k_most));
  for (const std::vector<std::string>& some : all) {
    for (double room = k_room; room > k_least_room; room *= shrink) {
      kernel::Sizes sizes = draw.others_of(1, room < k_room ? beside_shorter : beside);
      for (const std::string& symbol : some) {
        const double share = draw.random().uniform(); // squared: rather long ones
        sizes[symbol] = static_cast<std::int64_t>(room * std::pow(2, -share * share));
      }
      HONE_TRY(const bool added, draw.add_if_cheap(sizes, 2));
      if (added) {
        break;
      }
    }
  }
  return {};
}

Result<void> draw_broad_of_two(SizeDraw& draw)
{
  return add_broad(draw, 2, 0.85, 2, 1);
}

Result<void> draw_broad_of_three(SizeDraw& draw)
{
  return add_broad(draw, 3, 0.95, 5, 5);
}

// One of two longer than the other, by another factor each time.
Result<void> draw_unequal(SizeDraw& draw)
{
  constexpr int k_count = 4;
  constexpr double k_least_share = 0.3; // of the product's logarithm, for the shorter
  for (int i = 0; i < k_count && draw.symbols().size() > 1; ++i) {
    std::vector<std::string> symbols; // in their order, so that each has every share where there are no others
    std::ranges::sample(draw.symbols(), std::back_inserter(symbols), 2, draw.random());
    const double share =
      k_least_share + (1 - 2 * k_least_share) * (i + draw.random().uniform()) / static_cast<double>(k_count);
    for (double product = k_farthest * 8; product > k_long_extent * k_long_extent; product *= 0.9) {
      kernel::Sizes sizes = draw.others_of(1, 2);
      sizes[symbols[0]] = static_cast<std::int64_t>(std::pow(product, share));
      sizes[symbols[1]] = static_cast<std::int64_t>(std::pow(product, 1 - share));
      HONE_TRY(const bool added, draw.add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
  }
  return {};
}

// As many channels as a picture has pixels.
Result<void> draw_products(SizeDraw& draw)
{
  constexpr int k_count = 8;
  constexpr std::int64_t k_most_factor = 14;
  for (int i = 0; i < k_count && draw.symbols().size() > 2; ++i) {
    std::vector<std::string> symbols = draw.symbols();
    std::shuffle(symbols.begin(), symbols.end(), draw.random());
    for (std::int64_t most = k_most_factor; most > 1; most /= 2) {
      kernel::Sizes sizes = draw.others_of(2, most);
      sizes[symbols[0]] = sizes[symbols[1]] * sizes[symbols[2]];
      HONE_TRY(const bool added, draw.add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
  }
  return {};
}

Result<void> draw_small(SizeDraw& draw)
{
  constexpr int k_count = 8;
  for (int i = 0; i < k_count; ++i) {
    kernel::Sizes sizes = draw.others_of(1, k_most_small);
    for (auto& [symbol, extent] : sizes) {
      extent = draw.random().below(3) == 0 ? 1 : extent;
    }
    HONE_CHECK(draw.try_to_add(sizes));
  }
  return {};
}

// Of a length between a share of the longest that is affordable and that.
Result<void> add_alike(SizeDraw& draw, double most, double share)
{
  for (; most >= 2 && draw.symbols().size() > 1; most *= 0.9) {
    const auto extent = static_cast<std::int64_t>(most * (1 - (1 - share) * draw.random().uniform()));
    HONE_TRY(const bool added, draw.add_if_cheap(draw.others_of(extent, extent)));
    if (added) {
      break;
    }
  }
  return {};
}

Result<void> draw_alike_small(SizeDraw& draw)
{
  constexpr int k_count = 2;
  for (int i = 0; i < k_count; ++i) {
    HONE_CHECK(add_alike(draw, static_cast<double>(k_most_small), 0.5));
  }
  return {};
}

Result<void> draw_alike_long(SizeDraw& draw)
{
  constexpr double k_most = 400;
  return add_alike(draw, k_most, 0.9);
}

Result<void> add_round(SizeDraw& draw, std::int64_t step)
{
  constexpr std::int64_t k_most_steps = 5;
  constexpr int k_attempts = 20;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    kernel::Sizes sizes;
    std::set<std::int64_t> different;
    for (const std::string& symbol : draw.symbols()) {
      sizes[symbol] = step * draw.up_to(k_most_steps);
      different.insert(sizes[symbol]);
    }
    if (attempt > k_attempts / 2) { // too much work: one symbol in whole steps is better than none
      HONE_CHECK(make_cheap(draw.kernel(), sizes, draw.limit(), draw.random()));
    }
    if (different.size() > 1 || draw.symbols().size() == 1) {
      HONE_TRY(const bool added, draw.add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
  }
  return {};
}

Result<void> draw_round(SizeDraw& draw)
{
  constexpr std::array<std::int64_t, 12> k_steps{8, 8, 16, 16, 16, 32, 32, 64, 64, 64, 128, 512};
  for (const std::int64_t step : k_steps) {
    HONE_CHECK(add_round(draw, step));
  }
  return {};
}

Result<void> add_pair_alike(SizeDraw& draw, const std::vector<std::string>& pair, std::int64_t most,
                            std::int64_t most_beside)
{
  for (std::int64_t extent = 16 * draw.up_to(most / 16); extent > 0; extent -= 16) {
    kernel::Sizes sizes = draw.others_of(1, most_beside);
    for (const std::string& symbol : draw.symbols()) {
      std::int64_t& mine = sizes[symbol];
      mine = std::ranges::find(pair, symbol) != pair.end() ? extent : mine == extent ? mine + 1 : mine;
    }
    HONE_TRY(const bool added, draw.add_if_cheap(sizes));
    if (added) {
      break;
    }
  }
  return {};
}

// Square matrices; as many channels go in as come out. Beside short extents twice and once beside others: every pair of
// three symbols, some of more.
Result<void> draw_pairs(SizeDraw& draw)
{
  constexpr std::size_t k_count = 9;
  constexpr std::int64_t k_longest_beside_short = 256, k_longest_beside_others = 64, k_short = 8;
  std::vector<std::vector<std::string>> pairs = combinations(draw.symbols(), 2);
  std::shuffle(pairs.begin(), pairs.end(), draw.random());
  for (std::size_t i = 0; i < k_count && draw.symbols().size() > 2; ++i) {
    const bool beside_short = (i + i / pairs.size()) % 3 < 2;
    HONE_CHECK(beside_short ? add_pair_alike(draw, pairs[i % pairs.size()], k_longest_beside_short, k_short)
                            : add_pair_alike(draw, pairs[i % pairs.size()], k_longest_beside_others, k_most_small));
  }
  return {};
}

// Pictures are square and as many channels come out as go in wherever it is so at timed sizes, whatever is the longer.
Result<void> draw_as_timed(SizeDraw& draw)
{
  constexpr int k_count = 8;
  constexpr std::array<std::int64_t, 4> k_rooms{96, 48, 24, 12};
  for (int i = 0; i < k_count; ++i) {
    const std::vector<kernel::Sizes>& all_timed = draw.kernel().timed;
    const kernel::Sizes& timed = all_timed[draw.random().below(all_timed.size())];
    for (const std::int64_t room : k_rooms) {
      std::map<std::int64_t, std::int64_t> extents;
      kernel::Sizes sizes;
      for (const auto& [symbol, extent] : timed) {
        sizes[symbol] = extents.try_emplace(extent, draw.between(1, room)).first->second;
      }
      HONE_TRY(const bool added, extents.size() < sizes.size() && extents.size() > 1 ? draw.add_if_cheap(sizes) : true);
      if (added) {
        break;
      }
    }
  }
  return {};
}

constexpr std::array k_joint_rows{
  SizeRow{"middling", SizeGroup::further, "two symbols and more",
          "all symbols long at once, up to 1,000 and as far as the limit allows, alike within a factor of 2 or 8, odd; "
          "four sizes",
          "What needs several blocks along every axis.", draw_middling},
  SizeRow{"middling-even", SizeGroup::further, "two symbols and more", "once all alike within 8 %",
          "The longest size at which no extent is short.", draw_middling_even},
  SizeRow{
    "broad-of-two", SizeGroup::further, "three symbols and more",
    "every two symbols, of many ten pairs, 1,000 to 2,000 at once as far as twice the limit allows, the others 1 or 2",
    "Products of two extents that overflow a counter or a buffer.", draw_broad_of_two},
  SizeRow{"broad-of-three", SizeGroup::further, "four symbols and more",
          "every three symbols, of many ten, as long as that, the others up to 5",
          "Products of three extents that overflow a counter or a buffer.", draw_broad_of_three},
  SizeRow{"unequal", SizeGroup::further, "two symbols and more",
          "four times two symbols of which neither is short, one longer than the other, their product as large as is "
          "affordable",
          "Tall and wide matrices that take another way.", draw_unequal},
  SizeRow{"product", SizeGroup::further, "three symbols and more",
          "eight times one symbol as long as the product of two others", "Extents that are mistaken for one another.",
          draw_products},
  SizeRow{"small", SizeGroup::further, "all kernels", "eight times up to 67, every third extent 1",
          "Remainders of all kinds beside each other.", draw_small},
  SizeRow{"alike-small", SizeGroup::further, "two symbols and more", "all symbols the same, up to 67; twice",
          "Extents that are mistaken for one another, structure that only square tensors have.", draw_alike_small},
  SizeRow{"alike-long", SizeGroup::further, "two symbols and more",
          "all symbols the same, up to 400, once as long as is affordable", "Ways for square matrices.",
          draw_alike_long},
  SizeRow{"round", SizeGroup::further, "all kernels",
          "all symbols multiples of one power of two from 8 to 512, and not the same; twelve sizes",
          "Fast ways without remainders.", draw_round},
  SizeRow{"pairs", SizeGroup::further, "three symbols and more",
          "two symbols the same, a multiple of 16, and no other one; nine sizes",
          "Square matrices beside a few columns.", draw_pairs},
  SizeRow{"as-timed", SizeGroup::further, "some symbols alike at a timed size, others not",
          "eight times alike what is alike there, up to 96", "Ways for square pictures.", draw_as_timed},
};

} // namespace

std::span<const SizeRow> joint_size_rows()
{
  return k_joint_rows;
}

std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& symbols, std::size_t together)
{
  std::vector<std::vector<std::string>> all;
  std::vector<bool> chosen(symbols.size());
  std::fill_n(chosen.begin(), std::min(together, symbols.size()), true);
  do {
    std::vector<std::string>& some = all.emplace_back();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (chosen[i]) {
        some.push_back(symbols[i]);
      }
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return all;
}

} // namespace hone::inputs
