// A contraction's schedule, loop by loop, to a loop program and its launch plan.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

Result<LoweredProgram> lower_contraction(const kernel::Kernel& kernel, const Schedule& schedule,
                                         const Dialect& dialect);

} // namespace hone::lower
