// How calls enter a row of a lint report. (internal to the gate)
#pragma once

#include "gate/lint.h"
#include "gate/output_check.h"
#include "inputs/inputs.h"

namespace hone::gate {

// Of the calls it keeps the first that was noticed; while none was, the one that came nearest.
void enter_call(LintRow& row, const OutputCheck& check, inputs::ValueFamily family, const kernel::Sizes& sizes);

// The same for what must pass: the reason of the first failure is kept, and one is enough to refuse the kernel.
void enter_honest_call(LintRow& row, const OutputCheck& check, inputs::ValueFamily family, const kernel::Sizes& sizes);
void conclude_honest(LintRow& row);

} // namespace hone::gate
