#include "gate/sizes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace hone {
namespace {

constexpr std::array<std::int64_t, 16> k_primes{5, 7, 11, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 61, 67, 97};
constexpr std::array<std::int64_t, 8> k_not_powers{6, 12, 20, 24, 40, 48, 72, 96};
constexpr std::array<std::int64_t, 5> k_rooms{66, 36, 18, 6, 2}; // of the other symbols, or up to twice that
constexpr std::size_t k_most_rounds = 16;                        // per wanted size
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

Result<bool> is_cheap(const Kernel& kernel, const Sizes& sizes, double limit)
{
  HONE_TRY(const Work work, work_of(kernel, sizes));
  return work.total() <= limit;
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
    HONE_TRY(const bool cheap, is_cheap(kernel, sizes, limit));
    if (cheap) {
      return {};
    }
    sizes[symbol] = std::min<std::int64_t>(sizes[symbol], 1 + static_cast<std::int64_t>(random.below(7)));
  }
  return {};
}

} // namespace

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

Result<std::vector<Sizes>> draw_sizes_beyond(const Kernel& kernel, const TuningPoint& point, double work_limit,
                                             Random& random)
{
  std::int64_t largest_tile = 1;
  for (const auto& [name, value] : point) {
    largest_tile = value <= k_largest_landmark ? std::max(largest_tile, value) : largest_tile;
  }
  std::vector<Sizes> drawn;
  for (const std::string& symbol : kernel.symbols) {
    std::int64_t largest = largest_tile;
    for (const Sizes& timed : kernel.timed) {
      largest = std::max(largest, timed.at(symbol));
    }
    const std::int64_t extent = largest + 1 + static_cast<std::int64_t>(random.below(8));
    for (const std::int64_t room : k_rooms) {
      Sizes sizes;
      for (const std::string& other : kernel.symbols) {
        sizes[other] = room + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(room)));
      }
      sizes[symbol] = extent;
      if (!check_sizes(kernel, sizes)) {
        continue;
      }
      HONE_TRY(const bool cheap, is_cheap(kernel, sizes, work_limit));
      if (cheap) {
        drawn.push_back(std::move(sizes));
        break;
      }
    }
  }
  return drawn;
}

} // namespace hone
