// Sums inside of sums, as one. (internal to the room)
#pragma once

#include "kernel/kernel.h"

namespace hone::lower {

// sum(g, s[g] * sum(r, t[g,r])) becomes sum(g, r, s[g] * t[g,r]), as in products with weights in blocks that have a
// scale each.
kernel::Kernel with_joined_sums(kernel::Kernel kernel);

} // namespace hone::lower
