// Contractions of narrow operands: bytes summed in i32, bf16 summed in f32, with the helpers of hone_dot.h.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

namespace hone::lower {

// A work-group computes TILE_M x TILE_N of the output, TILE_K of the sum at a time. Strips of B are packed into groups
// of neighbours along the sum; a tile of REG_M rows by VECTORS vectors is summed in registers. The schedule brings
// these tuning parameters, and UNROLL_K.
Result<LoweredProgram> lower_dots(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
