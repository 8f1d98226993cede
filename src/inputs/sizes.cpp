#include "inputs/sizes.h"

#include "inputs/stress_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace hone {
namespace {

constexpr std::array<std::int64_t, 16> k_primes{5, 7, 11, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 61, 67, 97};
constexpr std::array<std::int64_t, 8> k_not_powers{6, 12, 20, 24, 40, 48, 72, 96};
constexpr std::array<std::int64_t, 5> k_rooms{66, 36, 18, 6, 2}; // of the other symbols, or up to twice that
constexpr std::int64_t k_thin = 4;                               // at most, beside a symbol that is longer than
constexpr std::int64_t k_long_extent = 64;
constexpr int k_thin_of_each = 3;
constexpr int k_as_timed = 8; // symbols that are alike at timed sizes
constexpr std::array<std::int64_t, 4> k_rooms_as_timed{96, 48, 24, 12};
constexpr std::size_t k_square_pairs = 9;
constexpr std::int64_t k_longest_beside_short = 256, k_longest_beside_others = 64, k_short = 8;
constexpr int k_far_of_each = 2; // longer than timed, up to
constexpr double k_farther = 1 << 17, k_farthest = 1 << 22;
constexpr std::int64_t k_first_of_22_bits = 1 << 21;
constexpr std::int64_t k_beside_farthest = 2, k_beside_farthest_of_two = 8;
constexpr std::array<std::int64_t, 4> k_far_rooms{4, 16, 48, 130}; // of the other symbols, from a quarter of that on
constexpr int k_small_ones = 8;                                    // whose extents are 1 or up to
constexpr std::int64_t k_most_small = 67;
constexpr std::int64_t k_least_long = 256, k_most_long = 1500;
constexpr std::array<std::int64_t, 5> k_long_rooms{40, 20, 12, 6, 2}; // of the other symbols
constexpr std::array k_middling_rooms{1000.0, 1000.0, 400.0, 1000.0}; // of all symbols, to begin with
constexpr double k_least_middling = 24;
constexpr double k_even_spread = 1.08; // of all symbols, as long as is affordable
constexpr double k_broad_room = 2000;  // of two symbols at once, from half of that on, beside others of 1 or 2
constexpr std::size_t k_most_broad = 10;
constexpr std::int64_t k_few_beside = 5; // beside three at once
constexpr int k_unequal = 4; // two symbols of which neither is short, and their product as large as is affordable:
constexpr double k_least_share = 0.3; // of its logarithm, for the shorter
constexpr int k_products = 8;
constexpr std::int64_t k_most_factor = 14;
constexpr int k_all_alike = 2;       // all symbols the same, up to k_most_small
constexpr double k_most_alike = 400; // and once as long as is affordable
constexpr int k_strata_per_octave = 3;
constexpr double k_first_stratum = 4;
constexpr std::array<std::int64_t, 5> k_strata_rooms{130, 48, 20, 12, 8}; // beside long ones, from a quarter of that on
constexpr int k_tries_of_room = 2;
constexpr std::size_t k_few_symbols = 3;
constexpr double k_least_in_half = 9, k_most_in_half = 130; // extents of half of many symbols, beside a long one
constexpr double k_strata_room_work = 3;                    // times the limit
constexpr std::array k_octaves{18, 14, 10};                 // of the only symbol; of each of two; of each of more
constexpr int k_far_octaves = 5;                            // of each of more
constexpr std::array<std::int64_t, 12> k_round_steps{8, 8, 16, 16, 16, 32, 32, 64, 64, 64, 128, 512};
constexpr std::int64_t k_most_steps = 5;
constexpr int k_round_attempts = 20;
constexpr std::size_t k_most_rounds = 16;         // per wanted size
constexpr std::int64_t k_largest_landmark = 4100; // larger tuning values are not tiles of anything worth trying

std::vector<std::int64_t> interesting_extents(const TuningPoint& point, Random& random)
{
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

bool is_cheap(const Work& work, double limit)
{
  return work.plain_flops + work.compulsory_bytes <= limit; // references and naive candidates are plain loops
}

// Shrinks symbols, one after another in random order, until the work is bounded.
Result<void> make_cheap(const Kernel& kernel, Sizes& sizes, double limit, Random& random)
{
  std::vector<std::string> order = kernel.symbols;
  std::shuffle(order.begin(), order.end(), random);
  for (const std::string& symbol : order) {
    if (!check_sizes(kernel, sizes)) {
      return {}; // the caller drops them
    }
    HONE_TRY(const Work work, work_of(kernel, sizes));
    if (is_cheap(work, limit)) {
      return {};
    }
    sizes[symbol] = std::min<std::int64_t>(sizes[symbol], 1 + static_cast<std::int64_t>(random.below(7)));
  }
  return {};
}

std::int64_t up_to(std::int64_t limit, Random& random)
{
  return drawn_between(1, std::max<std::int64_t>(limit, 1), random);
}

std::int64_t longest_timed(const Kernel& kernel, const std::string& symbol)
{
  std::int64_t longest = 1;
  for (const Sizes& timed : kernel.timed) {
    longest = std::max(longest, timed.at(symbol));
  }
  return longest;
}

// Above all thin ones.
std::int64_t nearest_far(const Kernel& kernel, const std::string& symbol)
{
  return k_long_extent + 2 * longest_timed(kernel, symbol);
}

class FurtherSizes {
public:
  FurtherSizes(const Kernel& kernel, const TuningPoint& point, double limit, Random& random)
    : m_kernel(kernel), m_limit(limit), m_random(random)
  {
    for (const auto& [name, value] : point) {
      m_largest_tile = value <= k_largest_landmark ? std::max(m_largest_tile, value) : m_largest_tile;
    }
  }

  Result<std::vector<Sizes>> draw() &&
  {
    for (const std::string& symbol : m_kernel.symbols) {
      HONE_CHECK(add_larger(symbol));
      for (int i = 0; i < k_thin_of_each; ++i) {
        HONE_CHECK(add_thin(symbol));
      }
      for (int i = 0; i < k_far_of_each; ++i) {
        HONE_CHECK(add_far(symbol));
      }
      HONE_CHECK(add_farthest(symbol, 1));
      // A maximum of one element, or its share of itself, tells nothing.
      if (m_kernel.symbols.size() > 1 && !as_contraction(m_kernel)) {
        HONE_CHECK(add_farthest(symbol, k_beside_farthest));
      }
      if (m_kernel.symbols.size() == 2) {
        HONE_CHECK(add_farthest(symbol, k_beside_farthest_of_two));
      }
      if (!has_float_inputs(m_kernel)) {
        HONE_CHECK(add_farther(symbol));
      }
    }
    for (std::size_t i = 0; i < k_middling_rooms.size() && m_kernel.symbols.size() > 1; ++i) {
      HONE_CHECK(add_middling(k_middling_rooms[i], i % 2 == 0 ? 2 : 8, 0.85));
    }
    if (m_kernel.symbols.size() > 1) {
      HONE_CHECK(add_middling(k_middling_rooms.front(), k_even_spread, 0.99));
    }
    HONE_CHECK(add_broad(2));
    HONE_CHECK(add_broad(3));
    for (int i = 0; i < k_unequal && m_kernel.symbols.size() > 1; ++i) {
      HONE_CHECK(add_unequal(i));
    }
    for (int i = 0; i < k_products && m_kernel.symbols.size() > 2; ++i) {
      HONE_CHECK(add_product());
    }
    for (int i = 0; i < k_small_ones; ++i) {
      HONE_CHECK(add_small());
    }
    for (int i = 0; i < k_all_alike && m_kernel.symbols.size() > 1; ++i) {
      HONE_CHECK(add_alike(static_cast<double>(k_most_small), 0.5));
    }
    if (m_kernel.symbols.size() > 1) {
      HONE_CHECK(add_alike(k_most_alike, 0.9));
    }
    for (const std::int64_t step : k_round_steps) {
      HONE_CHECK(add_round(step));
    }
    HONE_CHECK(add_pairs());
    for (int i = 0; i < k_as_timed; ++i) {
      HONE_CHECK(add_as_timed());
    }
    return std::move(m_drawn);
  }

  // Every third of an octave of every symbol, as many symbols at once as are affordable.
  Result<std::vector<Sizes>> draw_strata() &&
  {
    const std::size_t octaves = std::min(m_kernel.symbols.size(), k_octaves.size());
    std::map<std::string, std::vector<std::int64_t>> left;
    for (const std::string& symbol : m_kernel.symbols) {
      left[symbol] = strata(k_octaves[octaves - 1]);
    }
    for (const std::string& symbol : m_kernel.symbols) {
      while (!left[symbol].empty()) {
        HONE_CHECK(add_stratum(symbol, left));
      }
    }
    if (m_kernel.symbols.size() >= k_few_symbols) {
      for (const std::string& symbol : m_kernel.symbols) {
        HONE_CHECK(add_far_strata(symbol));
      }
    }
    return std::move(m_drawn);
  }

private:
  Result<bool> add_if_cheap(const Sizes& sizes) { return add_if_cheap(sizes, m_limit); }

  Result<bool> add_if_cheap(const Sizes& sizes, double limit)
  {
    HONE_TRY(const bool affordable, is_affordable(m_kernel, sizes, limit));
    const bool added = affordable && std::ranges::find(m_kernel.timed, sizes) == m_kernel.timed.end();
    if (added) {
      m_drawn.push_back(sizes);
    }
    return added;
  }

  Sizes others_of(std::int64_t least, std::int64_t most)
  {
    Sizes sizes;
    for (const std::string& symbol : m_kernel.symbols) {
      sizes[symbol] = drawn_between(least, most, m_random);
    }
    return sizes;
  }

  Result<void> add_larger(const std::string& symbol)
  {
    const std::int64_t largest = std::max(m_largest_tile, longest_timed(m_kernel, symbol));
    const std::int64_t extent = largest + up_to(std::max<std::int64_t>(largest / 2, 8), m_random);
    for (const std::int64_t room : k_rooms) {
      Sizes sizes = others_of(room, 2 * room - 1);
      sizes[symbol] = extent;
      HONE_TRY(const bool added, add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
    return {};
  }

  Result<void> add_thin(const std::string& symbol)
  {
    Sizes sizes = others_of(1, k_thin);
    sizes[symbol] = k_long_extent + up_to(2 * longest_timed(m_kernel, symbol), m_random);
    HONE_TRY([[maybe_unused]] const bool added, add_if_cheap(sizes));
    return {};
  }

  // Where all others have room, only a shorter extent is affordable: every other time no more than one of them has.
  Sizes far_others()
  {
    const auto& symbols = m_kernel.symbols;
    const bool only_one = m_random.below(2) == 0;
    const std::string& one = symbols[m_random.below(symbols.size())];
    Sizes sizes;
    for (const std::string& other : symbols) {
      const std::size_t rooms = only_one && other != one ? 1 : k_far_rooms.size();
      const std::int64_t room = k_far_rooms[m_random.below(rooms)];
      sizes[other] = drawn_between(room / 4, room, m_random);
    }
    return sizes;
  }

  // All orders of magnitude alike: whoever stops somewhere does not know where.
  Result<void> add_far(const std::string& symbol)
  {
    const auto nearest = static_cast<double>(nearest_far(m_kernel, symbol));
    double extent = nearest * std::pow(std::max(k_farthest / nearest, 1.0), m_random.uniform());
    for (; extent > nearest; extent /= 2) {
      Sizes sizes = far_others();
      sizes[symbol] = static_cast<std::int64_t>(extent);
      HONE_TRY(const bool added, add_if_cheap(sizes, 2 * m_limit));
      if (added) {
        break;
      }
    }
    return {};
  }

  // Positions and totals of more than 21 bits, hardly more, as nothing else costs as much: beside extents of `beside`,
  // or up to twice that where it is affordable. Where even those are too much, fewer bits.
  Result<void> add_farthest(const std::string& symbol, std::int64_t beside)
  {
    bool added = false;
    for (std::int64_t extent = drawn_between(k_first_of_22_bits, k_first_of_22_bits / 4 * 5, m_random);
         extent > k_long_extent && !added;
         extent = extent > k_first_of_22_bits ? k_first_of_22_bits : extent - extent / 4) {
      for (std::int64_t most = 2 * beside; most >= beside && !added; most /= 2) {
        Sizes sizes = others_of(beside, most);
        sizes[symbol] = extent;
        HONE_TRY(added, add_if_cheap(sizes, 2 * m_limit));
      }
    }
    return {};
  }

  // Sums of so many bytes wrap around.
  Result<void> add_farther(const std::string& symbol)
  {
    Sizes sizes = others_of(1, k_thin - 1);
    sizes[symbol] = static_cast<std::int64_t>(k_farther * std::pow(k_farthest / k_farther, m_random.uniform()));
    HONE_TRY([[maybe_unused]] const bool added, add_if_cheap(sizes, 2 * m_limit));
    return {};
  }

  Result<void> add_small()
  {
    Sizes sizes = others_of(1, k_most_small);
    for (auto& [symbol, extent] : sizes) {
      extent = m_random.below(3) == 0 ? 1 : extent;
    }
    HONE_TRY([[maybe_unused]] const bool added, add_if_cheap(sizes));
    return {};
  }

  // Nothing is very small beside anything else, and nothing is round. Not far beyond what is timed: there a plan may
  // say that it does not go.
  Result<void> add_middling(double room, double spread, double shrink)
  {
    for (; room > k_least_middling; room *= shrink) {
      Sizes sizes;
      for (const std::string& symbol : m_kernel.symbols) {
        const auto drawn = static_cast<std::int64_t>(room * std::pow(spread, -m_random.uniform()));
        sizes[symbol] = std::min(drawn | 1, nearest_far(m_kernel, symbol));
      }
      HONE_TRY(const bool added, add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
    return {};
  }

  // A few of many symbols long at once, where all of them cannot be.
  Result<void> add_broad(std::size_t together)
  {
    if (m_kernel.symbols.size() <= together) {
      return {};
    }
    std::vector<std::vector<std::string>> all = combinations(m_kernel.symbols, together);
    std::shuffle(all.begin(), all.end(), m_random);
    all.resize(std::min(all.size(), k_most_broad));
    for (const std::vector<std::string>& some : all) {
      for (double room = k_broad_room; room > k_least_middling; room *= together == 2 ? 0.85 : 0.95) {
        Sizes sizes = others_of(1, together > 2 ? k_few_beside : room < k_broad_room ? 1 : 2);
        for (const std::string& symbol : some) {
          const double share = m_random.uniform(); // squared: rather long ones
          sizes[symbol] = static_cast<std::int64_t>(room * std::pow(2, -share * share));
        }
        HONE_TRY(const bool added, add_if_cheap(sizes, 2 * m_limit));
        if (added) {
          break;
        }
      }
    }
    return {};
  }

  // One of two longer than the other, by another factor each time.
  Result<void> add_unequal(int number)
  {
    std::vector<std::string> symbols; // in their order, so that each has every share where there are no others
    std::ranges::sample(m_kernel.symbols, std::back_inserter(symbols), 2, m_random);
    const double share =
      k_least_share + (1 - 2 * k_least_share) * (number + m_random.uniform()) / static_cast<double>(k_unequal);
    for (double product = k_farthest * 8; product > k_long_extent * k_long_extent; product *= 0.9) {
      Sizes sizes = others_of(1, 2);
      sizes[symbols[0]] = static_cast<std::int64_t>(std::pow(product, share));
      sizes[symbols[1]] = static_cast<std::int64_t>(std::pow(product, 1 - share));
      HONE_TRY(const bool added, add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
    return {};
  }

  // Of a length between a share of the longest that is affordable and that.
  Result<void> add_alike(double most, double share)
  {
    for (; most >= 2; most *= 0.9) {
      const auto extent = static_cast<std::int64_t>(most * (1 - (1 - share) * m_random.uniform()));
      HONE_TRY(const bool added, add_if_cheap(others_of(extent, extent)));
      if (added) {
        break;
      }
    }
    return {};
  }

  // One extent of each, in any order.
  std::vector<std::int64_t> strata(int octaves)
  {
    std::vector<std::int64_t> extents;
    for (int i = 0; i < octaves * k_strata_per_octave; ++i) {
      const double exponent = (i + m_random.uniform()) / k_strata_per_octave;
      extents.push_back(static_cast<std::int64_t>(k_first_stratum * std::pow(2, exponent)));
    }
    std::shuffle(extents.begin(), extents.end(), m_random);
    return extents;
  }

  // The next of one symbol beside the next ones of the others; where that is too much, beside small ones in the place
  // of the longest, and once or twice more beside ones that are no rarity, as large as is affordable.
  Result<void> add_stratum(const std::string& owner, std::map<std::string, std::vector<std::int64_t>>& left)
  {
    Sizes sizes = others_of(1, k_thin);
    std::vector<std::string> taken;
    for (const std::string& symbol : m_kernel.symbols) {
      if (!left[symbol].empty()) {
        sizes[symbol] = left[symbol].back();
        taken.push_back(symbol);
      }
    }
    std::erase(taken, owner);
    HONE_TRY(bool added, add_if_cheap(sizes));
    const bool are_all_long = added && taken.size() + 1 == m_kernel.symbols.size();
    while (!added && !taken.empty()) {
      const auto longest =
        std::ranges::max_element(taken, {}, [&](const std::string& symbol) { return sizes[symbol]; });
      sizes[*longest] = up_to(k_thin, m_random);
      taken.erase(longest);
      HONE_TRY(added, add_if_cheap(sizes));
    }
    taken.push_back(owner);
    if (m_kernel.symbols.size() > k_few_symbols) {
      for (const std::string& symbol : taken) {
        HONE_CHECK(add_beside_halves(symbol, sizes[symbol]));
      }
    } else if (!are_all_long) {
      HONE_CHECK(add_beside_no_rarity(sizes, taken));
    }
    for (const std::string& symbol : taken) {
      left[symbol].pop_back();
    }
    return {};
  }

  // Beyond what strata of many symbols go to, an octave apart: beside all others as long as is affordable, and beside
  // either half of many.
  Result<void> add_far_strata(const std::string& symbol)
  {
    for (int octave = 0; octave < k_far_octaves; ++octave) {
      Sizes sizes = others_of(1, k_thin);
      sizes[symbol] = static_cast<std::int64_t>(std::ldexp(k_first_stratum, k_octaves.back() + octave)
                                                * std::exp2(m_random.uniform()));
      HONE_CHECK(add_beside_no_rarity(sizes, {symbol}));
      if (m_kernel.symbols.size() > k_few_symbols) {
        HONE_CHECK(add_beside_halves(symbol, sizes[symbol]));
      }
    }
    return {};
  }

  // With other extents of all symbols but those that are kept.
  Result<void> add_beside_no_rarity(Sizes sizes, const std::vector<std::string>& kept)
  {
    bool added = false;
    for (int i = 0; i < static_cast<int>(k_strata_rooms.size()) * k_tries_of_room && !added; ++i) {
      const std::int64_t room = k_strata_rooms[static_cast<std::size_t>(i / k_tries_of_room)];
      for (auto& [symbol, extent] : sizes) {
        if (std::ranges::find(kept, symbol) == kept.end()) {
          extent = drawn_between(room / 4, room, m_random);
        }
      }
      HONE_TRY(added, add_if_cheap(sizes, k_strata_room_work * m_limit));
    }
    return {};
  }

  // Of many symbols not all can be longer beside a long one: first one half of them is, then the other.
  Result<void> add_beside_halves(const std::string& symbol, std::int64_t extent)
  {
    if (extent <= k_long_extent) {
      return {};
    }
    std::vector<std::string> others = m_kernel.symbols;
    std::erase(others, symbol);
    std::shuffle(others.begin(), others.end(), m_random);
    for (std::size_t turn = 0; turn < 2; ++turn) {
      bool added = false;
      for (double most = k_most_in_half; most > k_least_in_half && !added; most *= 0.8) {
        Sizes sizes = others_of(1, 2);
        for (std::size_t i = turn; i < others.size(); i += 2) {
          sizes[others[i]] =
            static_cast<std::int64_t>(k_least_in_half * std::pow(most / k_least_in_half, m_random.uniform()));
        }
        sizes[symbol] = extent;
        HONE_TRY(added, add_if_cheap(sizes, k_strata_room_work * m_limit));
      }
    }
    return {};
  }

  Result<void> add_round(std::int64_t step)
  {
    for (int attempt = 0; attempt < k_round_attempts; ++attempt) {
      Sizes sizes;
      std::set<std::int64_t> different;
      for (const std::string& symbol : m_kernel.symbols) {
        sizes[symbol] = step * up_to(k_most_steps, m_random);
        different.insert(sizes[symbol]);
      }
      if (attempt > k_round_attempts / 2) { // too much work: one symbol in whole steps is better than none
        HONE_CHECK(make_cheap(m_kernel, sizes, m_limit, m_random));
      }
      if (different.size() > 1 || m_kernel.symbols.size() == 1) {
        HONE_TRY(const bool added, add_if_cheap(sizes));
        if (added) {
          break;
        }
      }
    }
    return {};
  }

  // As many channels as a picture has pixels.
  Result<void> add_product()
  {
    std::vector<std::string> symbols = m_kernel.symbols;
    std::shuffle(symbols.begin(), symbols.end(), m_random);
    for (std::int64_t most = k_most_factor; most > 1; most /= 2) {
      Sizes sizes = others_of(2, most);
      sizes[symbols[0]] = sizes[symbols[1]] * sizes[symbols[2]];
      HONE_TRY(const bool added, add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
    return {};
  }

  // Two symbols alike (square matrices; as many channels go in as come out), beside short extents twice and once beside
  // others: every pair of three symbols, some of more.
  Result<void> add_pairs()
  {
    std::vector<std::vector<std::string>> pairs = combinations(m_kernel.symbols, 2);
    std::shuffle(pairs.begin(), pairs.end(), m_random);
    for (std::size_t i = 0; i < k_square_pairs && m_kernel.symbols.size() > 2; ++i) {
      const bool beside_short = (i + i / pairs.size()) % 3 < 2;
      HONE_CHECK(beside_short ? add_pair(pairs[i % pairs.size()], k_longest_beside_short, k_short)
                              : add_pair(pairs[i % pairs.size()], k_longest_beside_others, k_most_small));
    }
    return {};
  }

  Result<void> add_pair(const std::vector<std::string>& pair, std::int64_t most, std::int64_t most_beside)
  {
    for (std::int64_t extent = 16 * up_to(most / 16, m_random); extent > 0; extent -= 16) {
      Sizes sizes = others_of(1, most_beside);
      for (const std::string& symbol : m_kernel.symbols) {
        std::int64_t& mine = sizes[symbol];
        mine = std::ranges::find(pair, symbol) != pair.end() ? extent : mine == extent ? mine + 1 : mine;
      }
      HONE_TRY(const bool added, add_if_cheap(sizes));
      if (added) {
        break;
      }
    }
    return {};
  }

  // Pictures are square and as many channels come out as go in wherever it is so at timed sizes, whatever is the
  // longer.
  Result<void> add_as_timed()
  {
    const Sizes& timed = m_kernel.timed[m_random.below(m_kernel.timed.size())];
    for (const std::int64_t room : k_rooms_as_timed) {
      std::map<std::int64_t, std::int64_t> extents;
      Sizes sizes;
      for (const auto& [symbol, extent] : timed) {
        sizes[symbol] = extents.try_emplace(extent, drawn_between(1, room, m_random)).first->second;
      }
      HONE_TRY(const bool added, extents.size() < sizes.size() && extents.size() > 1 ? add_if_cheap(sizes) : true);
      if (added) {
        break;
      }
    }
    return {};
  }

  const Kernel& m_kernel;
  double m_limit;
  Random& m_random;
  std::int64_t m_largest_tile = 1;
  std::vector<Sizes> m_drawn;
};

} // namespace

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

std::int64_t drawn_between(std::int64_t least, std::int64_t most, Random& random)
{
  return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

Result<bool> is_affordable(const Kernel& kernel, const Sizes& sizes, const std::function<bool(const Work&)>& fits)
{
  const Result<Work> work = work_of(kernel, sizes);
  if ((work && !fits(*work)) || !check_sizes(kernel, sizes)) { // what most sizes are refused for first: it takes least
    return false;
  }
  HONE_CHECK(work);
  return true;
}

Result<bool> is_affordable(const Kernel& kernel, const Sizes& sizes, double limit)
{
  return is_affordable(kernel, sizes, [limit](const Work& work) { return is_cheap(work, limit); });
}

Result<std::vector<Sizes>> draw_hidden_sizes(const Kernel& kernel, const TuningPoint& point,
                                             const HiddenSizesRequest& request, Random& random)
{
  std::map<std::string, std::vector<std::int64_t>> extents;
  for (const std::string& symbol : kernel.symbols) {
    extents[symbol] = interesting_extents(point, random);
    std::shuffle(extents[symbol].begin(), extents[symbol].end(), random);
  }
  std::set<Sizes> seen(kernel.timed.begin(), kernel.timed.end());
  std::vector<Sizes> drawn;
  for (std::size_t round = 0; drawn.size() < request.count && round < k_most_rounds * request.count; ++round) {
    Sizes sizes;
    for (auto& [symbol, values] : extents) {
      if (round > 0 && round % values.size() == 0) {
        std::shuffle(values.begin(), values.end(), random);
      }
      sizes[symbol] = values[round % values.size()];
    }
    HONE_CHECK(make_cheap(kernel, sizes, request.work_limit, random));
    // Some mean nothing: a window larger than the image, say.
    if (check_sizes(kernel, sizes) && seen.insert(sizes).second) {
      drawn.push_back(std::move(sizes));
    }
  }
  return drawn;
}

Result<std::vector<Sizes>> draw_long_sizes(const Kernel& kernel, std::size_t count, double work_limit, Random& random)
{
  std::vector<std::string> symbols = kernel.symbols;
  std::shuffle(symbols.begin(), symbols.end(), random);
  std::vector<Sizes> drawn;
  for (std::size_t turn = 0; turn < std::max(count, symbols.size()) && !symbols.empty(); ++turn) {
    for (const std::int64_t room : k_long_rooms) {
      Sizes sizes;
      for (const std::string& other : symbols) {
        sizes[other] = drawn_between((room + 1) / 2, room, random);
      }
      sizes[symbols[turn % symbols.size()]] = drawn_between(k_least_long, k_most_long, random);
      const bool timed = std::ranges::find(kernel.timed, sizes) != kernel.timed.end();
      if (timed || drawn.size() == count) {
        continue;
      }
      HONE_TRY(const bool affordable, is_affordable(kernel, sizes, work_limit));
      if (affordable && !has_long_sums(kernel, sizes)) {
        drawn.push_back(std::move(sizes));
        break;
      }
    }
  }
  return drawn;
}

Result<std::vector<Sizes>> draw_further_sizes(const Kernel& kernel, const TuningPoint& point, double work_limit,
                                              Random& random)
{
  return FurtherSizes(kernel, point, work_limit, random).draw();
}

Result<std::vector<Sizes>> draw_sizes_as_far(const Kernel& kernel, const Sizes& far, std::size_t count,
                                             double work_limit, Random& random)
{
  constexpr std::uint64_t k_steps = 13; // powers of two, up to 4096
  std::vector<Sizes> drawn;
  for (std::size_t attempt = 0; attempt < count; ++attempt) {
    Sizes sizes = far;
    for (auto& [symbol, extent] : sizes) {
      const std::int64_t nearest = nearest_far(kernel, symbol);
      if (extent <= nearest) {
        extent = random.below(2) == 0 ? 1 : up_to(extent, random);
        continue;
      }
      const double ratio = std::max(k_farthest / static_cast<double>(nearest), 1.0);
      extent =
        nearest + static_cast<std::int64_t>(static_cast<double>(nearest) * (std::pow(ratio, random.uniform()) - 1));
      const std::int64_t step = random.below(2) == 0 ? 1 : std::int64_t{1} << random.below(k_steps);
      extent = (extent / step + 1) * step;
    }
    HONE_TRY(const bool affordable, is_affordable(kernel, sizes, 2 * work_limit));
    if (affordable) {
      drawn.push_back(std::move(sizes));
    }
  }
  return drawn;
}

Result<std::vector<Sizes>> draw_strata(const Kernel& kernel, double work_limit, Random& random)
{
  return FurtherSizes(kernel, {}, work_limit, random).draw_strata();
}

bool is_far_beyond(const Kernel& kernel, const Sizes& sizes)
{
  return std::ranges::any_of(sizes, [&](const auto& size) { return size.second > nearest_far(kernel, size.first); });
}

} // namespace hone
