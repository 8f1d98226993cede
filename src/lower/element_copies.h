// In-place statements for elements that are stored in any order. (internal to the room)
#pragma once

#include "kernel/kernel.h"

namespace hone::lower {

// The kernel with a copy ahead of each statement that reads its own target at other places than the one it writes, or
// in a sum (B[i,j] = sum(k > i, A[k,i] * B[k,j])): these reads are of the copy, an intermediate.
kernel::Kernel with_copies(kernel::Kernel kernel);

} // namespace hone::lower
