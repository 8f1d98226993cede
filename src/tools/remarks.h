// What GCC says about loops (-fopt-info), by line. (internal)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

struct LoopRemark {
  std::string place;    // "device.cpp:31", of the candidate's own files
  int vector_bytes = 0; // of the widest vectors that it was compiled with; 0: not vectorised
  std::string text;     // "vectorised, unrolled completely", or why not: "not suitable for strided load _12"
};

// Each loop once, in the order of the lines.
std::vector<LoopRemark> loop_remarks(std::string_view remarks);

} // namespace hone::tools
