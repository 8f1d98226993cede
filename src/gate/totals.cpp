#include "gate/totals.h"

#include "gate/quads.h"
#include "util/stats.h"

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

constexpr double k_left_of_gain = 0.5;
constexpr double k_missed = 0.02;
constexpr double k_long_part = 0.25; // of a usual call of the slower arm
constexpr double k_chance = 0.13;    // three against none, five against one, seven against two

// Arms may have made different numbers of calls.
double mean_call_s(const PairRecord& pair, Arm arm)
{
  double wall_s = 0, calls = 0;
  for (const BlockRecord& block : blocks_of(pair, arm)) {
    wall_s += block.wall_s;
    calls += block.calls;
  }
  return wall_s / calls;
}

double usual_call_s(const PairRecord& pair, Arm arm)
{
  return median(block_values(blocks_of(pair, arm), call_s));
}

} // namespace

Totals totals_of(std::span<const PairRecord> pairs)
{
  Totals totals;
  double ours = 0, theirs = 0;
  for (const PairRecord& pair : pairs) {
    ours += mean_call_s(pair, Arm::candidate);
    theirs += mean_call_s(pair, Arm::incumbent);
    const std::array usual{usual_call_s(pair, Arm::candidate), usual_call_s(pair, Arm::incumbent)};
    for (std::size_t arm = 0; arm < k_arms; ++arm) {
      const double longest_usual = usual[arm] + k_long_part * std::ranges::max(usual);
      totals.long_blocks[arm] += static_cast<int>(std::ranges::count_if(
        pair.blocks[arm], [&](const BlockRecord& block) { return call_s(block) > longest_usual; }));
    }
  }
  totals.ratio = theirs / ours;
  return totals;
}

bool retract_gain(double totals_ratio, double log_ratio)
{
  const double gain = std::abs(log_ratio);
  const double left = (log_ratio < 0 ? -1 : 1) * std::log(totals_ratio);
  return left < std::min(k_left_of_gain * gain, gain - k_missed);
}

bool has_long_blocks_of_its_own(const Totals& totals, Arm winner)
{
  const auto own = static_cast<std::size_t>(winner);
  return chance_of_heads(totals.long_blocks[own], totals.long_blocks[1 - own]) < k_chance;
}

} // namespace hone::gate
