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

namespace hone::backend {

enum class Activation : int { none, relu, gelu }; // gelu: the one by erf

// Element types: of every tensor, or of A, B and C. Narrow products come without anything after them.
enum class GemmTypes { f32, f64, i8_i8_i32, u8_i8_i32, bf16_bf16_f32, bf16 };

struct GemmCall {
  GemmTypes types = GemmTypes::f32;
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  // Positions of the tensors in the kernel's arguments. `bias` is -1 where there is none; it has n elements.
  std::int64_t a = 0, b = 0, c = 0, bias = -1;
  bool transpose_a = false, transpose_b = false;
  // Elements from one row to the next as stored, and from one matrix of the batch to the next.
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t batch_stride_a = 0, batch_stride_b = 0, batch_stride_c = 0;
  double alpha = 1;
  Activation activation = Activation::none;

  bool is_narrow() const { return types != GemmTypes::f32 && types != GemmTypes::f64; }
  bool has_epilogue() const { return bias >= 0 || activation != Activation::none; }
  bool operator==(const GemmCall&) const = default;
};

std::string to_text(const GemmCall& call);
std::optional<GemmCall> gemm_call_from_text(std::string_view text);

} // namespace hone::backend
