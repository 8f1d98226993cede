// The innermost part of a contraction: the sums of one tile of the output, over the current block of k.
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

// The tile that starts at the nest's variables i and j: m_step rows by n_step columns, its sums in registers.
// `lanes` says how its columns are touched; with Lanes::part, rows beyond the edge are left out too.
Result<ProgramBlock> lower_tile(const ContractionCode& code, Lanes lanes);
// Of the tile's columns (or vectors of them), only the first `width`: the text of a number.
Result<ProgramBlock> lower_tile(const ContractionCode& code, Lanes lanes, const std::string& width);
// The same for one element at (i, j).
Result<ProgramBlock> lower_element(const ContractionCode& code);
// The part of that tile that lies inside the output, element by element.
Result<ProgramBlock> lower_partial_tile(const ContractionCode& code);

} // namespace hone::lower
