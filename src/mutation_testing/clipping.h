// Indices that a minimum keeps inside the tensor. (internal to the room)
#pragma once

#include "mutation_testing/source_code.h"

#include <vector>

namespace hone::mutation_testing {

// The minima behind the indices that a block uses: where the block says C[row[r]], and its function row[r] =
// hone_min(i + r, end - 1). As long as they are there, the block can run once too often and does nothing new.
std::vector<Call> clamped_indices(const SourceCode& code, TokenRange block);

} // namespace hone::mutation_testing
