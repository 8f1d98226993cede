// What all threads of a launch do, as one function with loops. (internal to the room)
#pragma once

#include "import/launch.h"

#include <vector>

namespace hone::import {

struct ThreadLoops {
  CFunction function; // the kernel's parameters and `further` of the launch
  std::vector<std::string> notes;
  std::vector<CNodePtr> divides; // pairs: the second divides the first, where the launch rounds down
};

// An index such as blockIdx.x * blockDim.x + threadIdx.x becomes a loop that ends where the kernel's guard says
// (if (i < n)), or else where the launch ends. A loop that strides by all threads becomes a loop that steps by one.
// Errors: threads that work together (shared memory, barriers, exchanges), and constructs without a counterpart.
Result<ThreadLoops> loops_of_threads(const CFile& file, const CFunction& kernel, const KernelLaunch& launch);

} // namespace hone::import
