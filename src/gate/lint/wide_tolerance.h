// Whether a kernel's tolerance tells results from zeros at its timed sizes. (internal to the gate)
#pragma once

#include "gate/lint.h"
#include "gate/references.h"

namespace hone::gate {

// Enters report.degenerate, of kernels with a tolerance.
Result<void> prove_tolerance(const kernel::Kernel& kernel, References& references, const LintOptions& options,
                             Random& random, LintReport& report);

} // namespace hone::gate
