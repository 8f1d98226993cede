// Whether a kernel goes over windows of a tensor. (internal to the room)
#pragma once

#include "kernel/kernel_class.h"

namespace hone::kernel {

// convolution (sums of products) or pooling, where the only statement reduces over windows: a subscript adds an index
// of the output to one of the reduction (y + r, 2 * x + s - 1). Nothing for other kernels.
std::optional<KernelClass> window_class(const Kernel& kernel);

} // namespace hone::kernel
