// Products whose sums are finished by a formula that has no vectors. (internal to the room)
#pragma once

#include "kernel/kernel.h"

namespace hone::lower {

// The kernel with such statements in two: C[i,j] = select(i == j, 1, sum(k, ...)) stores the sums first, which gives
// them the loop nest of a product, and chooses in a second statement. Statements whose condition leaves out much of the
// product stay as they are: other forms save that work.
kernel::Kernel with_separate_epilogues(kernel::Kernel kernel);

} // namespace hone::lower
