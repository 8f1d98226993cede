// Natural loops of a function, by dominators. (internal)
#pragma once

#include "tools/listing.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace hone::tools {

// Where a function may go on behind each instruction.
struct Successors {
  bool falls_through = true;                // to the next one
  std::optional<std::size_t> jumps_to = {}; // the instruction at a label of this function
};

std::vector<Loop> natural_loops(const std::vector<Successors>& successors);

} // namespace hone::tools
