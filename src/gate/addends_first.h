// The same kernel with sums that begin with what is added to them: `bias + sum(k, ...)` as a chain from the bias on, as
// kernels have it that load their accumulators first. Also of `a * sum(k, ...) + b * old`, which kernels compute that
// scale the output and add products to it, and of differences. (internal to the gate)
#pragma once

#include "kernel/kernel.h"

namespace hone::gate {

bool adds_to_sums(const kernel::Program& program);
kernel::Program with_addends_first(const kernel::Program& program);

} // namespace hone::gate
