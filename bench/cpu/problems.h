// The problems of bench_cpu: squares from one cache to memory, tall, wide, flat, deep, odd, narrow, a row vector. Fixed
// before anything was tuned on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  bool quick = false;          // one of the few that stand for all in --quick
  std::string kind = "matmul"; // also the kernel's name
  std::string epilogue = "{}"; // the formula around the sum
  bool bias = false;
  std::string type = "f32"; // of A and B; C is i32 for i8, f32 for bf16

  std::string text() const; // "64 x 64 x 8192"
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  bool is_row_vector() const { return m == 1; }
};

// C = A x B: 14 in f32, six in f64, four in i8 and bf16.
std::vector<Problem> gemm_problems(const std::string& type);
// C = activation(A x B + bias) in f32, where the library's product needs a pass after it or fuses it.
std::vector<Problem> fused_problems();

// kernel.toml. `also`: "timed" (sizes may be compiled in) or "any" (they are known at run time only).
std::string kernel_text(const Problem& problem, const std::string& also);

} // namespace hone
