// Rows of the output: how the loop over columns treats its end, and rows whose sums live in memory.
#pragma once

#include "lower/contraction_code.h"

#include <functional>

namespace hone::lower {

// The loop over the columns of a row, in steps of a tile. `body` writes what happens at column j.
using ColumnBody = std::function<Result<ProgramBlock>(Lanes)>;
Result<ProgramBlock> sweep_columns(const ContractionCode& code, const ColumnBody& body);

// k outside n: the output's row itself holds the sums while k runs.
Result<ProgramBlock> lower_row_in_memory(const ContractionCode& code);

} // namespace hone::lower
