// From where to where the indices of threads run. (internal to the room)
#pragma once

#include "import/thread_nodes.h"

#include <functional>
#include <string>
#include <vector>

namespace hone::import {

struct IndexLoop {
  std::string index;     // hone.x, threadIdx.x, blockIdx.x
  CNodePtr lower, upper; // null: not known
};

// Bounds from guards around everything that the statements do: if (i < n) {...}, if (i >= n) return. The guards stay.
// `uniform`: an expression has the same value for all threads at the kernel's beginning.
void take_guards(const std::vector<CNodePtr>& statements, const std::function<bool(const CNode&)>& uniform,
                 std::vector<IndexLoop>& loops);

// What the launch covers along an axis: n where it has (n + 255) / 256 blocks of 256 threads.
struct Covered {
  CNodePtr extent;
  bool divides = false; // n / 256 blocks: only where 256 divides n
};
Covered covered_by(const KernelLaunch& launch, std::size_t axis);

} // namespace hone::import
