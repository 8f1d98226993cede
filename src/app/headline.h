// The one sentence that a climb ends with.
#pragma once

#include "app/climb.h"

#include <string>

namespace hone::app {

// The library that comes closest; null where none was measured.
const policy::BaselineResult* best_library(const ClimbResult& result);

// "1.10x the best library (OpenBLAS 0.3.21, SkylakeX), 5.70x plain loops, 92 % of this machine's roof". What
// was not measured is left out; empty where nothing was.
std::string headline(const ClimbResult& result);

// "bandwidth-bound (memory): 18.2 GB/s, 92 % of the roof", "compute-bound: ...", or, far below both, "latency-bound:
// ...". Empty where the roof is not known.
std::string roof_text(const ClimbScale& scale, double seconds);

// "over the start 57.3x [56.9, 57.7] (FAST, cold)"; where the start is far slower: "at least 50x".
std::string gain_over_start(const ClimbResult& result);

} // namespace hone::app
