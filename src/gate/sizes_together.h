// One verdict from comparisons at several sizes. (internal to the gate)
#pragma once

#include "record/verdict.h"

#include <vector>

namespace hone::gate {

// Ratio and pairs are weighted geometric means; FAST and SLOW are what all of these pairs say beyond the limits of the
// comparisons, SAME is what all sizes say. A size whose own pairs agree, but which something else kept from that verdict,
// keeps all of them from it. Times, and preparation, are those of the first size. Must not be empty.
record::ComparisonResult together(std::vector<record::SizedComparison> by_size);

} // namespace hone::gate
