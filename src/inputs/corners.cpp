#include "inputs/corners.h"

#include "inputs/sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hone {
namespace {

constexpr double k_longest = 1 << 22;
constexpr double k_no_sliver = 8; // the shortest extent, but of one size in
constexpr std::size_t k_slivers_one_in = 4;
constexpr double k_coarse = 0.6, k_fine = 0.04; // of logarithms of products, from one that is tried to the next
// An additive sequence that fills the unit square evenly, however many of its points are taken: powers of 1
// / 1.3247..., the root of x^3 = x + 1.
constexpr double k_first = 0.7548776662466927, k_second = 0.5698402909980532;

// Shares that add up to 1.
using Shares = std::vector<double>;

// Ways to divide 1 among symbols, as different as that many can be.
class Divisions {
public:
  Divisions(std::size_t symbols, std::size_t count, Random& random)
    : m_symbols(symbols), m_count(count), m_x(random.uniform()), m_y(random.uniform()), m_random(random)
  {
  }

  Shares next()
  {
    const auto number = static_cast<double>(m_drawn++);
    if (m_symbols == 2) {
      const double share = std::fmod((number + m_x) / static_cast<double>(m_count), 1.0);
      return {share, 1 - share};
    }
    if (m_symbols == 3) { // of the triangle
      const double root = std::sqrt(std::fmod(m_x + number * k_first, 1.0));
      const double along = std::fmod(m_y + number * k_second, 1.0);
      return {1 - root, root * (1 - along), root * along};
    }
    Shares shares;
    for (std::size_t i = 0; i < m_symbols; ++i) {
      shares.push_back(-std::log(1 - m_random.uniform()));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::ranges::transform(shares, shares.begin(), [sum](double share) { return share / sum; });
    return shares;
  }

private:
  std::size_t m_symbols, m_count;
  std::size_t m_drawn = 0;
  double m_x, m_y;
  Random& m_random;
};

// Sizes that divide a product, given as its logarithm, among the symbols.
Sizes divided(const Kernel& kernel, const Shares& shares, double shortest, double log_product)
{
  Sizes sizes;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double extent = shortest * std::exp(shares[i] * log_product);
    sizes[kernel.symbols[i]] = std::llround(std::min(extent, k_longest));
  }
  return sizes;
}

// The largest with these shares; empty where there is none.
Result<Sizes> largest(const Kernel& kernel, const Shares& shares, double shortest, const CornerLimits& limits)
{
  const auto fits = [&](const Work& work) {
    return work.plain_flops <= limits.flops && work.compulsory_bytes <= limits.bytes;
  };
  double top = std::log(limits.flops);
  for (const double step : {k_coarse, k_fine}) {
    bool affordable = false;
    for (; !affordable && top > 0; top -= step) {
      HONE_TRY(affordable, is_affordable(kernel, divided(kernel, shares, shortest, top), fits));
    }
    if (!affordable) {
      return Sizes();
    }
    top += step == k_coarse ? 2 * k_coarse : k_fine; // above what was found, or at it
  }
  return divided(kernel, shares, shortest, top);
}

} // namespace

Result<std::vector<Sizes>> draw_corners(const Kernel& kernel, std::size_t count, const CornerLimits& limits,
                                        Random& random)
{
  std::vector<Sizes> drawn;
  if (kernel.symbols.size() < 2) {
    return drawn;
  }
  std::set<Sizes> seen(kernel.timed.begin(), kernel.timed.end());
  Divisions divisions(kernel.symbols.size(), count, random);
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(Sizes sizes, largest(kernel, divisions.next(), i % k_slivers_one_in == 0 ? 1 : k_no_sliver, limits));
    if (!sizes.empty() && seen.insert(sizes).second) {
      drawn.push_back(std::move(sizes));
    }
  }
  std::shuffle(drawn.begin(), drawn.end(), random); // whoever has no time for all of them takes some of every kind
  return drawn;
}

} // namespace hone
