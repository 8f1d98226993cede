// The shapes of matrix products that are benchmarked: squares from one cache to memory, tall, wide, flat, deep, odd, a
// narrow one and a row vector. Fixed before anything was tuned on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hone {

struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0; // C[m,n] = A[m,k] x B[k,n], row-major
  bool quick = false;               // among the few that stand for all

  bool is_row_vector() const { return m == 1; }
  std::string text() const; // "1024 x 1024 x 32"
};

std::span<const GemmShape> gemm_shapes();

// kernel.toml of a product timed at one shape. `also`: "any" or "timed" (sizes compiled in).
std::string gemm_kernel(const GemmShape& shape, const std::string& also);

} // namespace hone
