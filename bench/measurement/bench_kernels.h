// The kernels that the measuring protocol is judged with: calls from 2 us to 20 ms, bound by arithmetic or by memory,
// each with a copy that is slower by a known amount.
#pragma once

#include "gate/gate.h"

#include <string>
#include <vector>

namespace hone {

struct BenchKernel {
  std::string name; // "gemm-160", "scale-2M"
  std::string toml;
  record::Contender honest;
  record::Contender slower; // 3 % more arithmetic (products) or 10 % more bytes (scalings)
  bool arithmetic = false;
};

// Cut into one group for one thread, into at least two per thread for several (up to 32 threads).
Result<std::vector<BenchKernel>> bench_kernels(int threads);

} // namespace hone
