// Row-wise and element-wise kernels: launches that go over their rows, each row in a few passes over its columns.
#pragma once

#include "lower/rowwise_program.h"
#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

Result<LoweredProgram> lower_rows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

// One stage of a kernel, a work-group per row; `vectors`: a tuning parameter, or "" for plain loops.
Result<void> lower_row_stage(const kernel::Kernel& kernel, const Dialect& dialect, const RowStage& stage,
                             const std::string& vectors, const std::string& name, LoweredProgram& out);
// Whether one of a stage's loops over columns can be written with vectors.
bool check_stage_vectors(const kernel::Kernel& kernel, const Dialect& dialect, const RowStage& stage);

// Why none of the kernel's loops over columns can be written with vectors; nothing where at least one can.
Result<void> check_row_vectors(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
