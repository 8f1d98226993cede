// What differs between two loops' code, whatever registers and labels they use. (internal)
#pragma once

#include "tools/listing.h"

#include <string>
#include <vector>

namespace hone::tools {

struct DiffLine {
  char side = ' '; // ' ': in both; '-': in the first only; '+': in the second only
  std::string text;
};

// An instruction without what a compiler chooses freely: "vfmadd231ps (%r,%r,4), %ymm, %ymm".
std::string shape_of(const Instruction& instruction);
// In the order of both. Loops without code give nothing.
std::vector<DiffLine> diff_of(const HotLoop& first, const HotLoop& second);

} // namespace hone::tools
