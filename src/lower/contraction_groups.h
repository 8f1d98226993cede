// Which part of a contraction each work-group of a launch computes. (internal to the room)
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

// Plan expressions: blocks of columns (where they have groups of their own), blocks of rows, and behind them the batch,
// and the parts of k where it is split.
std::vector<std::string> grid_of(const ContractionCode& code);

// The batch's indices from the group's number, the last one fastest.
ProgramBlock batch_indices(const ContractionCode& code);

// Behind `batch_indices` in the group's number: the group's part of k, and where its sums lie.
ProgramBlock part_of_group(const ContractionCode& code);

// How many parts k has, as a plan expression and in the device code: none of them is empty.
std::string planned_parts(const ContractionCode& code);
std::string counted_parts(const ContractionCode& code);
// Elements of the output, "m * n".
std::string output_elements(const ContractionCode& code);

} // namespace hone::lower
