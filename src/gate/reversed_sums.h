// The same kernel with its sums and products written from the last term to the first. (internal to the gate)
#pragma once

#include "kernel/kernel.h"

namespace hone {

bool has_sums(const Program& program); // or products
Program with_sums_reversed(const Program& program);

} // namespace hone
