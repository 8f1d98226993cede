// One statement of a program as a kernel of its own.
#pragma once

#include "kernel/definition.h"

#include <optional>
#include <vector>

namespace hone::kernel {

// What the statement reads are the arguments, in the order of the kernel's arguments and then of its statements, and
// its target is the output. Tensors that the program computes keep a role that lets them be written, as code that reads
// them declares them so. For statements outside of loops that run in order.
Kernel stage_of(const Kernel& kernel, std::size_t statement);

// The statements of a program with several that are contractions with rows and columns, the one with the most
// operations first. None where other statements have more operations than these together, at the timed sizes.
std::vector<std::size_t> product_stages(const Kernel& kernel);

// The same of convolutions: sums of products over windows of a tensor.
std::vector<std::size_t> window_stages(const Kernel& kernel);

} // namespace hone::kernel
