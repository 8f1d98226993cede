// What tile sizes lead to expect, before anything was measured: whether sums fit the registers and hide the latency of
// their arithmetic, how much is loaded for it, and whether working sets fit the caches. Ranks only; a strategy believes
// it no further than the measurements do.
#pragma once

#include "tune/tune.h"

namespace hone::tune {

// Knows the parameters of the built-in engine's contractions (REG_M, REG_N, VECTORS, TILE_M, TILE_N, TILE_K) and device
// facts (device.vector_bytes, device.l1, device.l2). Empty where there are no such parameters: nothing is expected
// then.
CostModel tile_cost_model(const kernel::TuningSpace& space, const kernel::PlanScope& device_facts);

} // namespace hone::tune
