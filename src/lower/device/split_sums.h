// Sums that several groups compute part by part. (internal to the folder)
#pragma once

#include "kernel/kernel.h"

#include <set>
#include <string>

namespace hone::lower::device {

// A kernel in which every statement with one sum of floats is two: the first stores `parts` sums of a part of the terms
// each, the second adds them up and does the rest.
struct SplitKernel {
  kernel::Kernel kernel;
  std::set<std::string> parts; // targets of the first statements
};
// `parts`: the name of a tuning parameter. A statement without such a sum stays as it is.
SplitKernel split_sums(const kernel::Kernel& kernel, const std::string& parts);

} // namespace hone::lower::device
