// Which families of values say most about calls at the timed sizes.
#pragma once

#include "inputs/inputs.h"

#include <vector>

namespace hone::inputs {

// Whether sums have so many terms that one chain of additions, an honest one, loses those that few others outweigh, or
// rounds values out of a small set the same way again and again.
bool has_long_sums(const kernel::Kernel& kernel, const kernel::Sizes& sizes);

// For single calls between timed ones; none where the kernel has no floating-point inputs.
std::vector<ValueFamily> stress_families(const kernel::Kernel& kernel, const kernel::Sizes& sizes);

} // namespace hone::inputs
