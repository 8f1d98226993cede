// All time together. Estimates that leave outliers out say how long the usual call takes; whoever calls a kernel pays
// for the unusual ones, too. (internal to the gate)
#pragma once

#include "gate/timing.h"

#include <span>

namespace hone::gate {

struct Totals {
  double ratio = 1; // incumbent's time / candidate's, of all blocks of all pairs, whatever happened in them
  // Blocks that took longer per call than is usual for their arm and pair, by a quarter of a usual call of the slower
  // arm.
  std::array<int, k_arms> long_blocks{};
};

Totals totals_of(std::span<const PairRecord> pairs);

// Whether they leave less than half of a gain, and miss it by more than 2 %. `log_ratio`: what the pairs' estimates
// say, as in pair_estimate(); either side may be the one that gains.
bool retract_gain(double totals_ratio, double log_ratio);

// What disturbs a machine disturbs both arms alike: whether the winner has more of the long blocks than chance would
// give it one time in eight.
bool has_long_blocks_of_its_own(const Totals& totals, Arm winner);

} // namespace hone::gate
