#include "inputs/literal_sizes.h"

#include "inputs/sizes.h"
#include "util/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace hone {
namespace {

constexpr std::int64_t k_least_named = 40;
constexpr std::int64_t k_most_extent = 1 << 25;
constexpr std::int64_t k_least_top = 15;      // of values: four bits
constexpr std::ptrdiff_t k_most_numbers = 64; // of a candidate, drawn anew each time
constexpr std::int64_t k_room = 130;
constexpr std::size_t k_pairs = 24;
constexpr int k_products_of_each = 3; // for every pair of symbols
constexpr int k_tries = 8;            // to find others beside an extent that are cheap

// How many sizes may cost how much.
struct Price {
  double limit; // operations and bytes of a call
  std::size_t count;
};
constexpr std::array<Price, 2> k_prices{{{5e6, 1'000}, {3e7, 4}}};

bool may_be_extent(std::int64_t number)
{
  return number >= k_least_named && number <= k_most_extent;
}

class NumberReader {
public:
  NumberReader(std::string_view text, std::int64_t least, std::int64_t most)
    : m_text(text), m_least(least), m_most(most)
  {
  }

  // All numbers, and what they come to where two stand on both sides of << or *.
  std::set<std::int64_t> read() &&
  {
    while (m_at < m_text.size()) {
      if (is_digit()) {
        const std::int64_t left = number();
        add(left);
        add_combined(left);
      } else if (is_word()) {
        skip_word();
      } else {
        ++m_at;
      }
    }
    return std::move(m_found);
  }

private:
  bool is_digit() const { return m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0; }
  bool is_word() const
  {
    return m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '_');
  }
  void skip_word()
  {
    while (is_word()) {
      ++m_at;
    }
  }
  void skip_space()
  {
    while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) {
      ++m_at;
    }
  }

  // The number that begins here; 0 where it is not whole or too large.
  std::int64_t number()
  {
    std::string digits;
    for (; is_word() || m_text.substr(m_at, 1) == "." || m_text.substr(m_at, 1) == "'"; ++m_at) {
      if (m_text[m_at] != '\'' && m_text[m_at] != '_') {
        digits += m_text[m_at];
      }
    }
    add_octal(digits);
    const bool binary = digits.starts_with("0b") || digits.starts_with("0B");
    const double value = binary ? static_cast<double>(std::strtoull(digits.c_str() + 2, nullptr, 2))
                                : std::strtod(digits.c_str(), nullptr); // knows 0x, fractions, exponents
    return value >= 1 && value <= static_cast<double>(k_most_extent) && value == std::floor(value)
             ? static_cast<std::int64_t>(value)
             : 0;
  }

  // C reads 02603 so, TOML does not: whoever writes it may mean either.
  void add_octal(const std::string& digits)
  {
    if (digits.starts_with('0')) {
      add(static_cast<std::int64_t>(
        std::min<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 8), k_most_extent + 1)));
    }
  }

  void add_combined(std::int64_t left)
  {
    skip_space();
    const bool shift = m_text.substr(m_at, 2) == "<<";
    if (left == 0 || (!shift && m_text.substr(m_at, 1) != "*")) {
      return;
    }
    m_at += shift ? 2 : 1;
    skip_space();
    if (!is_digit()) {
      return;
    }
    const std::int64_t right = number();
    add(right);
    const double result = shift
                            ? std::ldexp(static_cast<double>(left), static_cast<int>(std::min<std::int64_t>(right, 60)))
                            : static_cast<double>(left) * static_cast<double>(right);
    if (result <= static_cast<double>(k_most_extent)) {
      add(static_cast<std::int64_t>(result));
    }
  }

  void add(std::int64_t value)
  {
    if (value >= m_least && value <= m_most) {
      m_found.insert(value);
    }
  }

  std::string_view m_text;
  std::int64_t m_least, m_most;
  std::size_t m_at = 0;
  std::set<std::int64_t> m_found;
};

class NamedSizes {
public:
  NamedSizes(const Kernel& kernel, Random& random) : m_kernel(kernel), m_random(random) {}

  Result<void> add_extents(std::int64_t number)
  {
    for (const std::string& symbol : m_kernel.symbols) {
      for (const std::int64_t extent : {number - 1, number, number + 1}) {
        HONE_TRY(Sizes sizes, cheap_one([&](int tries) { return with(others(tries), symbol, extent); }));
        m_exact.push_back(std::move(sizes));
      }
      Sizes sizes = others();
      sizes[symbol] = drawn(2, 4) * number + drawn(-1, 1);
      m_sizes.push_back(std::move(sizes));
    }
    return {};
  }

  // More than one block of that extent, with whole tiles beside: what a candidate does from the second block on. Where
  // whole tiles everywhere are too dear, one of the other extents is small. Register tiles are a few vectors wide and
  // as many rows high as there are registers for.
  Result<void> add_block(std::int64_t number)
  {
    for (const std::string& symbol : m_kernel.symbols) {
      for (const std::string& small : m_kernel.symbols) { // with `symbol` itself none is
        const std::int64_t extent = number + drawn(1, std::max<std::int64_t>(number / 8, 1));
        HONE_TRY(Sizes sizes, cheap_one([&](int tries) { return with(whole_tiles(small, tries), symbol, extent); }));
        m_beyond_blocks.push_back(std::move(sizes));
      }
      for (const std::string& wide : m_kernel.symbols) {
        if (wide != symbol) {
          const std::int64_t extent = number + drawn(1, std::max<std::int64_t>(number / 8, 1));
          HONE_TRY(Sizes sizes, cheap_one([&](int tries) { return with(one_wide_tile(wide, tries), symbol, extent); }));
          m_beyond_blocks.push_back(std::move(sizes));
        }
      }
    }
    return {};
  }

  // Two extents whose product is that very number; 1 may be one of them.
  void add_factors(const std::string& one, const std::string& other, std::int64_t number)
  {
    auto factor = static_cast<std::int64_t>(std::exp2(m_random.uniform() * std::log2(static_cast<double>(number)) / 2));
    while (number % factor != 0) {
      --factor;
    }
    const bool turned = m_random.below(2) == 0;
    Sizes sizes = others();
    sizes[turned ? other : one] = factor;
    sizes[turned ? one : other] = number / factor;
    m_sizes.push_back(std::move(sizes));
  }

  void add_products(std::int64_t number)
  {
    const std::vector<std::string>& symbols = m_kernel.symbols;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      for (std::size_t j = i + 1; j < symbols.size(); ++j) {
        for (int k = 0; k < k_products_of_each; ++k) {
          Sizes sizes = others();
          // All orders of magnitude alike.
          const double one = std::exp2(1 + m_random.uniform() * std::log2(static_cast<double>(number) / 4));
          sizes[symbols[i]] = static_cast<std::int64_t>(one);
          sizes[symbols[j]] = number / sizes[symbols[i]] + drawn(-1, 1);
          m_sizes.push_back(std::move(sizes));
        }
        add_factors(symbols[i], symbols[j], number);
      }
    }
  }

  // Beyond two numbers at once, each by at most an eighth.
  void add_pair(std::int64_t one, std::int64_t other)
  {
    const std::vector<std::string>& symbols = m_kernel.symbols;
    const std::size_t first = m_random.below(symbols.size());
    const std::size_t second = (first + 1 + m_random.below(symbols.size() - 1)) % symbols.size();
    Sizes sizes = others();
    sizes[symbols[first]] = one + drawn(0, one / 8);
    sizes[symbols[second]] = other + drawn(0, other / 8);
    m_sizes.push_back(std::move(sizes));
  }

  // With extents as small as others are; and once, of a number in the plan, with longer ones, as far as that is cheap.
  Result<void> add_ratio(std::int64_t ratio)
  {
    for (const std::string& longer : m_kernel.symbols) {
      for (const std::string& shorter : m_kernel.symbols) {
        for (int turn = 0; turn < (ratio > 1 ? 2 : 1) && longer != shorter; ++turn) {
          HONE_TRY(Sizes sizes, cheap_one([&](int tries) {
                     const std::int64_t extent = turn == 0 ? drawn(2, k_room) : longer_than_room();
                     return with(with(others(tries), shorter, extent), longer, ratio * extent);
                   }));
          m_sizes.push_back(std::move(sizes));
        }
      }
    }
    return {};
  }

  // Blocks first, in three eighths of the room at most; then the extents themselves, up to three quarters of it.
  Result<std::vector<Sizes>> some(std::size_t count) &&
  {
    HONE_CHECK(choose(m_beyond_blocks, count * 3 / 8));
    HONE_CHECK(choose(m_exact, count - count / 4));
    HONE_CHECK(choose(m_sizes, count));
    return std::move(m_chosen);
  }

private:
  Result<void> choose(std::vector<Sizes>& among, std::size_t most)
  {
    std::shuffle(among.begin(), among.end(), m_random);
    for (Sizes& sizes : among) {
      if (m_chosen.size() == most) {
        break;
      }
      if (std::ranges::find(m_kernel.timed, sizes) != m_kernel.timed.end()) {
        continue;
      }
      for (std::size_t i = 0; i < k_prices.size(); ++i) {
        HONE_TRY(const bool affordable, is_affordable(m_kernel, sizes, k_prices[i].limit));
        if (affordable) {
          if (m_bought[i]++ < k_prices[i].count) {
            m_chosen.push_back(std::move(sizes));
          }
          break;
        }
      }
    }
    return {};
  }

  // Of a few that `draw` gives, which is told how many there were, the first that is cheap, else the last.
  template <class Draw> Result<Sizes> cheap_one(Draw draw)
  {
    Sizes sizes;
    for (int i = 0; i < k_tries; ++i) {
      sizes = draw(i);
      HONE_TRY(const bool affordable, is_affordable(m_kernel, sizes, k_prices.front().limit));
      if (affordable) {
        break;
      }
    }
    return sizes;
  }

  static Sizes with(Sizes sizes, const std::string& symbol, std::int64_t extent)
  {
    sizes[symbol] = extent;
    return sizes;
  }

  std::int64_t drawn(std::int64_t least, std::int64_t most) { return drawn_between(least, most, m_random); }

  // Up to four thousand, all orders of magnitude alike.
  std::int64_t longer_than_room()
  {
    constexpr double k_octaves = 5;
    return static_cast<std::int64_t>(k_room * std::exp2(k_octaves * m_random.uniform()));
  }

  // Alone, with few, or with enough for a tile or two; where that was too dear half of the tries, with few at most, and
  // the last time alone: of many symbols most are dear together.
  Sizes others(int tries = 0)
  {
    constexpr std::array<std::int64_t, 4> k_rooms{1, 4, 48, k_room};
    const std::size_t rooms = tries < k_tries / 2 ? k_rooms.size() : tries < k_tries - 1 ? 2 : 1;
    Sizes sizes;
    for (const std::string& symbol : m_kernel.symbols) {
      sizes[symbol] = drawn(1, k_rooms[m_random.below(rooms)]);
    }
    return sizes;
  }

  // Enough for several tiles everywhere but in one symbol.
  Sizes whole_tiles(const std::string& small, int tries)
  {
    Sizes sizes;
    for (const std::string& symbol : m_kernel.symbols) {
      sizes[symbol] = symbol == small ? drawn(1, 3) : drawn(16, tries < k_tries / 2 ? 72 : 24);
    }
    return sizes;
  }

  Sizes one_wide_tile(const std::string& wide, int tries)
  {
    const bool early = tries < k_tries / 2;
    Sizes sizes;
    for (const std::string& symbol : m_kernel.symbols) {
      sizes[symbol] = symbol == wide ? drawn(64, early ? 136 : 72) : drawn(14, early ? 24 : 15);
    }
    return sizes;
  }

  const Kernel& m_kernel;
  Random& m_random;
  std::vector<Sizes> m_beyond_blocks, m_exact, m_sizes;
  std::vector<Sizes> m_chosen;
  std::array<std::size_t, k_prices.size()> m_bought{};
};

// Of a candidate's files and of what its code compares with, from `least` on.
std::set<std::int64_t> named_from(std::int64_t least, const Candidate& candidate,
                                  std::span<const std::int64_t> compared)
{
  std::set<std::int64_t> all;
  for (const auto& [name, text] : candidate.files) {
    all.merge(NumberReader(with_lines_joined(text), least, k_most_extent).read());
  }
  std::ranges::copy_if(compared, std::inserter(all, all.end()),
                       [least](std::int64_t number) { return number >= least && number <= k_most_extent; });
  return all;
}

} // namespace

std::vector<std::int64_t> blocks_at(const TuningPoint& point)
{
  std::set<std::int64_t> blocks;
  for (const auto& [name, value] : point) {
    if (may_be_extent(value)) {
      blocks.insert(value);
    }
  }
  return {blocks.begin(), blocks.end()};
}

std::vector<std::int64_t> numbers_in(const Candidate& candidate, const TuningPoint& point,
                                     std::span<const std::int64_t> compared)
{
  std::set<std::int64_t> all = named_from(k_least_named, candidate, compared);
  const std::vector<std::int64_t> blocks = blocks_at(point);
  all.insert(blocks.begin(), blocks.end());
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> tops_in(const Candidate& candidate, std::span<const std::int64_t> compared)
{
  const std::set<std::int64_t> all = named_from(k_least_top, candidate, compared);
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> ratios_in(const Candidate& candidate)
{
  const auto plan = candidate.files.find("launch.toml");
  std::set<std::int64_t> ratios{1};
  if (plan != candidate.files.end()) {
    ratios.merge(NumberReader(plan->second, 2, k_least_named - 1).read());
  }
  return {ratios.begin(), ratios.end()};
}

Result<std::vector<Sizes>> draw_named_sizes(const Kernel& kernel, const std::vector<std::int64_t>& numbers,
                                            const std::vector<std::int64_t>& ratios,
                                            const std::vector<std::int64_t>& blocks, std::size_t count, Random& random)
{
  NamedSizes sizes(kernel, random);
  for (const std::int64_t block : blocks) {
    HONE_CHECK(sizes.add_block(block));
  }
  std::vector<std::int64_t> some;
  std::ranges::sample(numbers, std::back_inserter(some), k_most_numbers, random);
  for (const std::int64_t number : some) {
    HONE_CHECK(sizes.add_extents(number));
    sizes.add_products(number);
  }
  if (kernel.symbols.size() > 1) {
    for (std::size_t i = 0; i < (some.empty() ? 0 : k_pairs); ++i) {
      sizes.add_pair(some[random.below(some.size())], some[random.below(some.size())]);
    }
  }
  for (const std::int64_t ratio : ratios) {
    HONE_CHECK(sizes.add_ratio(ratio));
  }
  return std::move(sizes).some(count);
}

} // namespace hone
