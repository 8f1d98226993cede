// Row-wise and element-wise kernels: launches that go over their rows, each row in a few passes over its columns.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

Result<LoweredProgram> lower_rows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

// Why none of the kernel's loops over columns can be written with vectors; nothing where at least one can.
Result<void> check_row_vectors(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
