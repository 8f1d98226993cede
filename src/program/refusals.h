// What the text of a region may not say, looked for before it is compiled. A first line only: whatever passes is still
// judged by its outputs and by the time of whole runs. (internal to the room)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::program {

struct Refusal {
  int line = 0; // of the replacement, from 1
  std::string what;
};

// Files, output, the end of the process, other processes, clocks, threads, assembly: refused where the original region
// does not use the same word. Preprocessor lines may include headers that only compute, say #pragma omp, ivdep or
// unroll, and choose by #if.
std::vector<Refusal> refusals_in(std::string_view replacement, std::string_view original);

} // namespace hone::program
