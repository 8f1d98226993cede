// A (batched) matrix product as numerical libraries name it, with the simple work that may follow it:
//   C[b] = activation(alpha * op(A[b]) * op(B[b]) + bias?),   all matrices row-major.
//
// Crosses a process border as one line of text. Knows nothing of kernels, so that the runner that calls the
// libraries stays small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

enum class Activation : int { none, relu, gelu }; // gelu: the one by erf

struct GemmCall {
  bool f64 = false; // element type of every tensor: f64, or f32
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  // Positions of the tensors in the kernel's arguments. `bias` is -1 where there is none; it has n elements.
  std::int64_t a = 0, b = 0, c = 0, bias = -1;
  bool transpose_a = false, transpose_b = false;
  // Elements from one row to the next as stored, and from one matrix of the batch to the next.
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t batch_stride_a = 0, batch_stride_b = 0, batch_stride_c = 0;
  double alpha = 1;
  Activation activation = Activation::none;

  bool has_epilogue() const { return bias >= 0 || activation != Activation::none; }
  bool operator==(const GemmCall&) const = default;
};

std::string to_text(const GemmCall& call);
std::optional<GemmCall> gemm_call_from_text(std::string_view text);

} // namespace hone
