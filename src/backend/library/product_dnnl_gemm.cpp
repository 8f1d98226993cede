// oneDNN's plain functions for products of narrow operands: of bytes, summed in i32, and of bf16, summed in f32.
#include "backend/library/product.h"

#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

using Dim = std::int64_t;
using ByteGemm = int (*)(char, char, char, Dim, Dim, Dim, float, const void*, Dim, std::uint8_t, const std::int8_t*,
                         Dim, std::int8_t, float, std::int32_t*, Dim, const std::int32_t*);
using Bf16Gemm = int (*)(char, char, Dim, Dim, Dim, float, const std::uint16_t*, Dim, const std::uint16_t*, Dim, float,
                         float*, Dim);

ByteGemm g_bytes = nullptr;
Bf16Gemm g_bf16 = nullptr;

void bytes_product(const GemmCall& call, const ProductOperands& operands)
{
  static constexpr std::int32_t k_no_offset = 0; // added to every element
  for (std::int64_t i = 0; i < call.batch; ++i) {
    g_bytes(call.transpose_a ? 'T' : 'N', call.transpose_b ? 'T' : 'N', 'F', call.m, call.n, call.k, 1.0F,
            static_cast<const std::uint8_t*>(operands.a) + i * call.batch_stride_a, call.lda, 0,
            static_cast<const std::int8_t*>(operands.b) + i * call.batch_stride_b, call.ldb, 0, 0.0F,
            static_cast<std::int32_t*>(operands.c) + i * call.batch_stride_c, call.ldc, &k_no_offset);
  }
}

void bf16_product(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    g_bf16(call.transpose_a ? 'T' : 'N', call.transpose_b ? 'T' : 'N', call.m, call.n, call.k, 1.0F,
           static_cast<const std::uint16_t*>(operands.a) + i * call.batch_stride_a, call.lda,
           static_cast<const std::uint16_t*>(operands.b) + i * call.batch_stride_b, call.ldb, 0.0F,
           static_cast<float*>(operands.c) + i * call.batch_stride_c, call.ldc);
  }
}

} // namespace

OpenedProduct open_dnnl_gemm(void* library, const GemmCall& call)
{
  if (call.types == GemmTypes::bf16_bf16_f32) {
    g_bf16 = reinterpret_cast<Bf16Gemm>(dlsym(library, "dnnl_gemm_bf16bf16f32"));
    return g_bf16 != nullptr ? OpenedProduct{bf16_product, nullptr}
                             : OpenedProduct{nullptr, "the library has no dnnl_gemm_bf16bf16f32"};
  }
  const bool is_signed = call.types == GemmTypes::i8_i8_i32;
  g_bytes = reinterpret_cast<ByteGemm>(dlsym(library, is_signed ? "dnnl_gemm_s8s8s32" : "dnnl_gemm_u8s8s32"));
  return g_bytes != nullptr ? OpenedProduct{bytes_product, nullptr}
                            : OpenedProduct{nullptr, "the library has no dnnl_gemm_s8s8s32 and dnnl_gemm_u8s8s32"};
}

} // namespace hone::backend::runner
