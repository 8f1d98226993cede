// Columns that do not fill a vector, as dot products along k: few rows by few columns at a time, a vector of products
// for each pair. (internal to the room)
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

// Where the columns end that tiles compute: whole vectors of them, or all where too many are left over.
ProgramBlock end_of_whole_vectors(const ContractionCode& code);

struct DotRemainder {
  ProgramBlock functions;
  ProgramBlock body; // behind the tiles of a block of k
};
Result<DotRemainder> lower_dot_remainder(const ContractionCode& code);

} // namespace hone::lower
