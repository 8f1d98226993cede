// The same kernel with its sums and products written from the last term to the first. (internal to the gate)
#pragma once

#include "kernel/kernel.h"

namespace hone::gate {

bool has_sums(const kernel::Program& program); // or products
kernel::Program with_sums_reversed(const kernel::Program& program);

} // namespace hone::gate
