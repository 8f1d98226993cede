// Where a kernel's checker is tried: small sizes, and families of values on each. (internal to the gate)
#pragma once

#include "inputs/inputs.h"
#include "kernel/kernel.h"
#include "util/random.h"

#include <span>
#include <string>
#include <vector>

namespace hone::gate {

struct LintTrial {
  kernel::Sizes sizes;
  std::span<const inputs::ValueFamily> families;
};

struct LintTrials {
  std::vector<LintTrial> all;
  std::string remark; // where small sizes stand for timed ones that alone count; may be empty
};

// Kernels that are right on any sizes: one with all symbols equal, where inputs and outputs often have as many
// elements, and hidden sizes as candidates meet them. Kernels for their timed sizes alone: these, or smaller ones of
// their shape where they take too long.
Result<LintTrials> draw_lint_trials(const kernel::Kernel& kernel, Random& random);

} // namespace hone::gate
