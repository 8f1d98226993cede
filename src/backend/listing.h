// Compiled code as text with the lines of its source, and what the compiler said about it, for performance tools.
#pragma once

#include "backend/backend.h"

#include <string>
#include <string_view>
#include <vector>

namespace hone::backend {

// x86: GNU assembler in AT&T syntax. ptx: NVIDIA's. amdgcn: LLVM's for AMD GPUs.
enum class ListingSyntax { x86, ptx, amdgcn };

struct ListingJob {
  // Puts out k_listing_file, with .loc directives that name lines of the candidate's files, and where the compiler
  // writes remarks k_remarks_file: "device.cpp:12:3: optimized: loop vectorized using 64 byte vectors".
  CompileJob job;
  ListingSyntax syntax = ListingSyntax::x86;
};

inline constexpr std::string_view k_listing_file = "listing.s", k_remarks_file = "remarks.txt";

// What one kernel function needs of the unit of a GPU that runs it.
struct CodeResources {
  std::string kernel;
  int registers = 0;     // of 32 bits, for each item
  int spilled_bytes = 0; // of each item, beyond its registers
  int local_bytes = 0;   // of each group, known at compile time
  double occupancy = 0;  // share of the items that a unit can hold, 0 to 1
};

} // namespace hone::backend
