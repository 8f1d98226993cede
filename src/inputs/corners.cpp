#include "inputs/corners.h"

#include "inputs/size_draw.h"
#include "kernel/size_conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace hone::inputs {
namespace {

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
    // An additive sequence that fills the unit square evenly, however many of its points are taken: powers of
    // 1 / 1.3247..., the root of x^3 = x + 1.
    constexpr double k_first_step = 0.7548776662466927, k_second_step = 0.5698402909980532;
    const auto number = static_cast<double>(m_drawn++);
    if (m_symbols == 2) {
      const double share = std::fmod((number + m_x) / static_cast<double>(m_count), 1.0);
      return {share, 1 - share};
    }
    if (m_symbols == 3) { // of the triangle
      const double root = std::sqrt(std::fmod(m_x + number * k_first_step, 1.0));
      const double along = std::fmod(m_y + number * k_second_step, 1.0);
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
kernel::Sizes divided(const kernel::Kernel& kernel, const Shares& shares, double shortest, double log_product)
{
  kernel::Sizes sizes;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double extent = shortest * std::exp(shares[i] * log_product);
    sizes[kernel.symbols[i]] = std::llround(std::min(extent, k_farthest));
  }
  return kernel::with_conditions_met(kernel, std::move(sizes));
}

// The largest with these shares; empty where there is none.
Result<kernel::Sizes> largest(const kernel::Kernel& kernel, const Shares& shares, double shortest,
                              const CornerLimits& limits)
{
  constexpr double k_coarse = 0.6, k_fine = 0.04; // of logarithms of products, from one that is tried to the next
  const auto fits = [&](const kernel::Work& work) {
    return work.plain_flops <= limits.flops && work.compulsory_bytes <= limits.bytes;
  };
  double top = std::log(limits.flops);
  for (const double step : {k_coarse, k_fine}) {
    bool affordable = false;
    for (; !affordable && top > 0; top -= step) {
      HONE_TRY(affordable, is_affordable(kernel, divided(kernel, shares, shortest, top), fits));
    }
    if (!affordable) {
      return kernel::Sizes();
    }
    top += step == k_coarse ? 2 * k_coarse : k_fine; // above what was found, or at it
  }
  return divided(kernel, shares, shortest, top);
}

Result<void> draw_all_corners(SizeDraw& draw)
{
  constexpr double k_no_sliver = 8; // the shortest extent, but of one size in
  constexpr std::size_t k_slivers_one_in = 4;
  const kernel::Kernel& kernel = draw.kernel();
  if (kernel.symbols.size() < 2) {
    return {};
  }
  std::set<kernel::Sizes> seen(kernel.timed.begin(), kernel.timed.end());
  Divisions divisions(kernel.symbols.size(), draw.count, draw.random());
  for (std::size_t i = 0; i < draw.count; ++i) {
    const double shortest = i % k_slivers_one_in == 0 ? 1 : k_no_sliver;
    HONE_TRY(kernel::Sizes sizes, largest(kernel, divisions.next(), shortest, draw.corner_limits));
    if (!sizes.empty() && seen.insert(sizes).second) {
      draw.drawn().push_back(std::move(sizes));
    }
  }
  std::shuffle(draw.drawn().begin(), draw.drawn().end(), draw.random()); // who has no time for all takes some of each
  return {};
}

constexpr std::array k_corner_rows{
  SizeRow{"corners", SizeGroup::corners, "two symbols and more",
          "20 to 32 sizes as large as the limits of work and memory allow, divided among the symbols in every way",
          "Whatever goes wrong where several extents are long at once: the smallest such call is below the limits.",
          draw_all_corners},
};

} // namespace

std::span<const SizeRow> corner_size_rows()
{
  return k_corner_rows;
}

Result<std::vector<kernel::Sizes>> draw_corners(const kernel::Kernel& kernel, std::size_t count,
                                                const CornerLimits& limits, Random& random, const SizeRow* only)
{
  SizeDraw draw(kernel, random, limits.flops);
  draw.count = count;
  draw.corner_limits = limits;
  HONE_CHECK(draw_group(SizeGroup::corners, draw, only));
  return std::move(draw.drawn());
}

} // namespace hone::inputs
