// Convolutions and pooling: vectors of neighbouring columns, tiles of channels, a work-group per row or block of rows.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

Result<LoweredProgram> lower_windows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
