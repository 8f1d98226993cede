#include "inputs/literal_sizes.h"

#include "inputs/size_draw.h"
#include "kernel/size_conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace hone::inputs {
namespace {

constexpr std::int64_t k_tile_room = 130; // for a tile or two
constexpr int k_tries = 8;                // to find others beside an extent that are cheap

// Of a few that `make` gives, which is told how many there were, the first that is cheap, else the last.
template <class Make> Result<kernel::Sizes> cheap_one(SizeDraw& draw, Make make)
{
  kernel::Sizes sizes;
  for (int i = 0; i < k_tries; ++i) {
    sizes = kernel::with_conditions_met(draw.kernel(), make(i));
    HONE_TRY(const bool affordable, is_affordable(draw.kernel(), sizes, draw.limit()));
    if (affordable) {
      break;
    }
  }
  return sizes;
}

kernel::Sizes with(kernel::Sizes sizes, const std::string& symbol, std::int64_t extent)
{
  sizes[symbol] = extent;
  return sizes;
}

// Alone, with few, or with enough for a tile or two; where that was too dear half of the tries, with few at most, and
// the last time alone: of many symbols most are dear together.
kernel::Sizes others_beside(SizeDraw& draw, int tries = 0)
{
  constexpr std::array<std::int64_t, 4> k_rooms{1, 4, 48, k_tile_room};
  const std::size_t rooms = tries < k_tries / 2 ? k_rooms.size() : tries < k_tries - 1 ? 2 : 1;
  kernel::Sizes sizes;
  for (const std::string& symbol : draw.symbols()) {
    sizes[symbol] = draw.between(1, k_rooms[draw.random().below(rooms)]);
  }
  return sizes;
}

// Enough for several tiles everywhere but in one symbol.
kernel::Sizes whole_tiles(SizeDraw& draw, const std::string& small, int tries)
{
  kernel::Sizes sizes;
  for (const std::string& symbol : draw.symbols()) {
    sizes[symbol] = symbol == small ? draw.between(1, 3) : draw.between(16, tries < k_tries / 2 ? 72 : 24);
  }
  return sizes;
}

kernel::Sizes one_wide_tile(SizeDraw& draw, const std::string& wide, int tries)
{
  const bool early = tries < k_tries / 2;
  kernel::Sizes sizes;
  for (const std::string& symbol : draw.symbols()) {
    sizes[symbol] = symbol == wide ? draw.between(64, early ? 136 : 72) : draw.between(14, early ? 24 : 15);
  }
  return sizes;
}

// More than one block of that extent, with whole tiles beside. Where whole tiles everywhere are too dear, one of the
// other extents is small. Register tiles are a few vectors wide and as many rows high as there are registers for.
Result<void> add_block(SizeDraw& draw, std::int64_t block)
{
  const auto extent = [&] { return block + draw.between(1, std::max<std::int64_t>(block / 8, 1)); };
  for (const std::string& symbol : draw.symbols()) {
    for (const std::string& small : draw.symbols()) { // with `symbol` itself none is
      const std::int64_t longer = extent();
      HONE_TRY(kernel::Sizes sizes,
               cheap_one(draw, [&](int tries) { return with(whole_tiles(draw, small, tries), symbol, longer); }));
      draw.pools.beyond_blocks.push_back(std::move(sizes));
    }
    for (const std::string& wide : draw.symbols()) {
      if (wide != symbol) {
        const std::int64_t longer = extent();
        HONE_TRY(kernel::Sizes sizes,
                 cheap_one(draw, [&](int tries) { return with(one_wide_tile(draw, wide, tries), symbol, longer); }));
        draw.pools.beyond_blocks.push_back(std::move(sizes));
      }
    }
  }
  return {};
}

Result<void> add_extents(SizeDraw& draw, std::int64_t number)
{
  for (const std::string& symbol : draw.symbols()) {
    for (const std::int64_t extent : {number - 1, number, number + 1}) {
      HONE_TRY(kernel::Sizes sizes,
               cheap_one(draw, [&](int tries) { return with(others_beside(draw, tries), symbol, extent); }));
      draw.pools.exact.push_back(std::move(sizes));
    }
  }
  return {};
}

void add_multiples(SizeDraw& draw, std::int64_t number)
{
  for (const std::string& symbol : draw.symbols()) {
    kernel::Sizes sizes = others_beside(draw);
    sizes[symbol] = draw.between(2, 4) * number + draw.between(-1, 1);
    draw.pools.others.push_back(std::move(sizes));
  }
}

// About the number, or one less or more than it divided by the other.
void add_products(SizeDraw& draw, std::int64_t number)
{
  constexpr int k_of_each = 3; // for every pair of symbols
  for (const std::vector<std::string>& pair : combinations(draw.symbols(), 2)) {
    for (int i = 0; i < k_of_each && pair.size() == 2; ++i) {
      kernel::Sizes sizes = others_beside(draw);
      // All orders of magnitude alike.
      const double one = std::exp2(1 + draw.random().uniform() * std::log2(static_cast<double>(number) / 4));
      sizes[pair[0]] = static_cast<std::int64_t>(one);
      sizes[pair[1]] = number / sizes[pair[0]] + draw.between(-1, 1);
      draw.pools.others.push_back(std::move(sizes));
    }
  }
}

// Two extents whose product is that very number; 1 may be one of them.
void add_factors(SizeDraw& draw, std::int64_t number)
{
  for (const std::vector<std::string>& pair : combinations(draw.symbols(), 2)) {
    if (pair.size() < 2) {
      continue;
    }
    auto factor =
      static_cast<std::int64_t>(std::exp2(draw.random().uniform() * std::log2(static_cast<double>(number)) / 2));
    while (number % factor != 0) {
      --factor;
    }
    const std::size_t shorter = draw.random().below(2);
    kernel::Sizes sizes = others_beside(draw);
    sizes[pair[shorter]] = factor;
    sizes[pair[1 - shorter]] = number / factor;
    draw.pools.others.push_back(std::move(sizes));
  }
}

// Beyond two numbers at once, each by at most an eighth.
void add_pair(SizeDraw& draw, std::int64_t one, std::int64_t other)
{
  const std::vector<std::string>& symbols = draw.symbols();
  const std::size_t first = draw.random().below(symbols.size());
  const std::size_t second = (first + 1 + draw.random().below(symbols.size() - 1)) % symbols.size();
  kernel::Sizes sizes = others_beside(draw);
  sizes[symbols[first]] = one + draw.between(0, one / 8);
  sizes[symbols[second]] = other + draw.between(0, other / 8);
  draw.pools.others.push_back(std::move(sizes));
}

// With extents as small as others are; and once, of a number in the plan, with longer ones up to four thousand, all
// orders of magnitude alike.
Result<void> add_ratio(SizeDraw& draw, std::int64_t ratio)
{
  constexpr double k_octaves = 5;
  for (const std::string& longer : draw.symbols()) {
    for (const std::string& shorter : draw.symbols()) {
      for (int turn = 0; turn < (ratio > 1 ? 2 : 1) && longer != shorter; ++turn) {
        HONE_TRY(kernel::Sizes sizes, cheap_one(draw, [&](int tries) {
                   const std::int64_t extent =
                     turn == 0
                       ? draw.between(2, k_tile_room)
                       : static_cast<std::int64_t>(k_tile_room * std::exp2(k_octaves * draw.random().uniform()));
                   return with(with(others_beside(draw, tries), shorter, extent), longer, ratio * extent);
                 }));
        draw.pools.others.push_back(std::move(sizes));
      }
    }
  }
  return {};
}

Result<void> draw_blocks(SizeDraw& draw)
{
  for (const std::int64_t block : draw.literal->blocks) {
    HONE_CHECK(add_block(draw, block));
  }
  return {};
}

Result<void> draw_extents(SizeDraw& draw)
{
  for (const std::int64_t number : draw.literal->literals) {
    HONE_CHECK(add_extents(draw, number));
  }
  return {};
}

Result<void> draw_multiples(SizeDraw& draw)
{
  for (const std::int64_t number : draw.literal->literals) {
    add_multiples(draw, number);
  }
  return {};
}

Result<void> draw_literal_products(SizeDraw& draw)
{
  for (const std::int64_t number : draw.literal->literals) {
    add_products(draw, number);
  }
  return {};
}

Result<void> draw_literal_factors(SizeDraw& draw)
{
  for (const std::int64_t number : draw.literal->literals) {
    add_factors(draw, number);
  }
  return {};
}

Result<void> draw_literal_pairs(SizeDraw& draw)
{
  constexpr std::size_t k_count = 24;
  std::vector<std::int64_t> numbers = draw.literal->literals;
  numbers.insert(numbers.end(), draw.literal->thresholds.begin(), draw.literal->thresholds.end());
  for (std::size_t i = 0; i < k_count && !numbers.empty() && draw.symbols().size() > 1; ++i) {
    const std::int64_t one = numbers[draw.random().below(numbers.size())];
    add_pair(draw, one, numbers[draw.random().below(numbers.size())]);
  }
  return {};
}

Result<void> draw_ratios(SizeDraw& draw)
{
  for (const std::int64_t ratio : draw.literal->ratios) {
    HONE_CHECK(add_ratio(draw, ratio));
  }
  return {};
}

Result<void> draw_thresholds(SizeDraw& draw)
{
  for (const std::int64_t number : draw.literal->thresholds) {
    HONE_CHECK(add_extents(draw, number));
    add_multiples(draw, number);
    add_products(draw, number);
    add_factors(draw, number);
  }
  return {};
}

constexpr std::array k_literal_rows{
  SizeRow{"literal-blocks", SizeGroup::literal, "candidates with tuning values from 40 to 2^25",
          "a symbol up to an eighth longer than such a value, the others of one tile and more",
          "What a candidate does from the second block on.", draw_blocks},
  SizeRow{"literal-extents", SizeGroup::literal,
          "candidates whose files name numbers from 40 to 2^25, or whose code compares with them",
          "a symbol as long as such a number, one less and one more", "Limits that are off by one.", draw_extents},
  SizeRow{"literal-multiples", SizeGroup::literal, "the same",
          "a symbol two to four times as long as such a number, or one off", "What only shows behind several blocks.",
          draw_multiples},
  SizeRow{"literal-products", SizeGroup::literal, "the same, and two symbols and more",
          "two symbols whose product is about such a number", "Limits of an area or a buffer.", draw_literal_products},
  SizeRow{"literal-factors", SizeGroup::literal, "the same, and two symbols and more",
          "two symbols whose product is such a number", "Limits of an area or a buffer that are off by one.",
          draw_literal_factors},
  SizeRow{"literal-pairs", SizeGroup::literal, "the same, and two symbols and more",
          "two symbols, each up to an eighth longer than such a number; 24 sizes",
          "Ways that are open where two extents are long.", draw_literal_pairs},
  SizeRow{"literal-ratios", SizeGroup::literal, "two symbols and more",
          "a symbol as long as another, or so many times as long as a small number of the plan says",
          "Conditions that compare two extents.", draw_ratios},
  SizeRow{"guard-thresholds", SizeGroup::literal, "candidates whose plan has conditions",
          "extents at which a condition of the plan changes, one less and one more, multiples and products",
          "Ways that are chosen by what the device has, which no file of the candidate says.", draw_thresholds},
};

// How many sizes may cost how much.
struct Price {
  double limit; // operations and bytes of a call
  std::size_t count;
};
constexpr std::array<Price, 2> k_prices{{{5e6, 1'000}, {3e7, 4}}};

// Blocks first, in three eighths of the room at most; then the extents themselves, up to three quarters of it.
class Choice {
public:
  explicit Choice(SizeDraw& draw) : m_draw(draw) {}

  Result<void> choose(std::vector<kernel::Sizes>& among, std::size_t most)
  {
    std::shuffle(among.begin(), among.end(), m_draw.random());
    const std::vector<kernel::Sizes>& timed = m_draw.kernel().timed;
    for (kernel::Sizes& sizes : among) {
      if (m_draw.drawn().size() == most) {
        break;
      }
      sizes = kernel::with_conditions_met(m_draw.kernel(), std::move(sizes));
      for (std::size_t i = 0; i < k_prices.size() && std::ranges::find(timed, sizes) == timed.end(); ++i) {
        HONE_TRY(const bool affordable, is_affordable(m_draw.kernel(), sizes, k_prices[i].limit));
        if (affordable) {
          if (m_bought[i]++ < k_prices[i].count) {
            m_draw.drawn().push_back(std::move(sizes));
          }
          break;
        }
      }
    }
    return {};
  }

private:
  SizeDraw& m_draw;
  std::array<std::size_t, k_prices.size()> m_bought{};
};

std::vector<std::int64_t> some_of(const std::vector<std::int64_t>& numbers, Random& random)
{
  constexpr std::ptrdiff_t k_most_numbers = 64; // of a candidate, drawn anew each time
  std::vector<std::int64_t> some;
  std::ranges::sample(numbers, std::back_inserter(some), k_most_numbers, random);
  return some;
}

} // namespace

std::span<const SizeRow> literal_size_rows()
{
  return k_literal_rows;
}

Result<std::vector<kernel::Sizes>> draw_literal_sizes(const kernel::Kernel& kernel, const LiteralSources& sources,
                                                      std::size_t count, Random& random, const SizeRow* only)
{
  LiteralSources some = sources;
  some.literals = some_of(sources.literals, random);
  some.thresholds = some_of(sources.thresholds, random);
  SizeDraw draw(kernel, random, k_prices.front().limit);
  draw.literal = &some;
  HONE_CHECK(draw_group(SizeGroup::literal, draw, only));
  Choice choice(draw);
  HONE_CHECK(choice.choose(draw.pools.beyond_blocks, count * 3 / 8));
  HONE_CHECK(choice.choose(draw.pools.exact, count - count / 4));
  HONE_CHECK(choice.choose(draw.pools.others, count));
  return std::move(draw.drawn());
}

} // namespace hone::inputs
