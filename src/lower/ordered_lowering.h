// Statements inside loops that are run in order: each outermost loop becomes one launch of one work-group.
#pragma once

#include "lower/statement_lowering.h"

namespace hone::lower {

// The statements that share the outermost loop of statement `first`: appends the function `name`, its launch, and
// scratch for what only they compute.
Result<void> lower_block(const kernel::Kernel& kernel, const Dialect& dialect, std::size_t first,
                         const std::string& name, LoweredProgram& out);

} // namespace hone::lower
