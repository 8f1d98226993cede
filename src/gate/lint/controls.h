// Implementations that nobody can object to, through the gate's own path: generated loops, jailed and locked like any
// candidate. The check must pass them. (internal to the gate)
#pragma once

#include "gate/lint.h"
#include "gate/lint/trials.h"
#include "gate/references.h"

#include <vector>

namespace hone::gate {

// One row per implementation; two calls per size and family each.
Result<std::vector<LintRow>> prove_controls(const kernel::Kernel& kernel, References& references,
                                            const LintTrials& trials, const LintOptions& options, Random& random);

} // namespace hone::gate
