// Sizes at which several symbols are long at once.
#pragma once

#include "inputs/size_rows.h"
#include "kernel/kernel.h"
#include "util/random.h"

#include <cstddef>
#include <vector>

namespace hone::inputs {

// What one call at such a size may come to.
struct CornerLimits {
  double flops = 2e8; // of plain loops
  double bytes = 1.6e7;
};

// A candidate that goes wrong where one extent is A or longer, another B or longer and so on, has a smallest call at
// which it does. These sizes are as large as the limits allow, and divide that among the symbols in every way: evenly
// spread, drawn anew each time. Where calls of the limits' size are several times as large as that smallest call, they
// meet such a range, wherever it begins. Fewer than `count` where the kernel has less than two symbols, or means
// nothing there. `only`: as in "inputs/sizes.h".
Result<std::vector<kernel::Sizes>> draw_corners(const kernel::Kernel& kernel, std::size_t count,
                                                const CornerLimits& limits, Random& random,
                                                const SizeRow* only = nullptr);

} // namespace hone::inputs
