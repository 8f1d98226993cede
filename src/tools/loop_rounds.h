// How often loops go round in a call, by the accesses that were counted on their lines. (internal)
#pragma once

#include "backend/access_counts.h"
#include "tools/listing.h"

namespace hone::tools {

// Accesses counted on the lines of a loop's accesses, over those of a round; 0: it has none, or they were not counted.
// Several loops of one line count as one another.
double rounds_of(const HotLoop& loop, const backend::AccessCounts& counts);

// The innermost loop that does most of the arithmetic in a call. Loops without accesses are judged by the code alone.
HotLoop hot_loop(const Listing& listing, const backend::AccessCounts& counts);

} // namespace hone::tools
