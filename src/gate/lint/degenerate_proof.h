// Tries every degenerate solution, and every input alone, on the kernel's check. No candidate runs: the outputs are
// written here, and go through the code that judges candidates. (internal to the gate)
#pragma once

#include "gate/lint.h"
#include "gate/lint/trials.h"
#include "gate/references.h"

namespace hone::gate {

// Enters report.degenerate, report.inputs, and a first honest row: the reference, rounded to the outputs' types.
Result<void> prove_degenerate(const kernel::Kernel& kernel, References& references, const LintTrials& trials,
                              const LintOptions& options, Random& random, LintReport& report);

} // namespace hone::gate
