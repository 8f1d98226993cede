#include "backend/library/product.h"

#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

// From the reference CBLAS interface; the libraries that are known here use 32-bit integers in it.
enum { k_row_major = 101, k_no_transpose = 111, k_transpose = 112 };
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);

Sgemm g_sgemm = nullptr;
Dgemm g_dgemm = nullptr;

template <class Scalar, class Gemm> void multiply(Gemm gemm, const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    gemm(k_row_major, call.transpose_a ? k_transpose : k_no_transpose, call.transpose_b ? k_transpose : k_no_transpose,
         int(call.m), int(call.n), int(call.k), Scalar(call.alpha),
         static_cast<const Scalar*>(operands.a) + i * call.batch_stride_a, int(call.lda),
         static_cast<const Scalar*>(operands.b) + i * call.batch_stride_b, int(call.ldb), Scalar(0),
         static_cast<Scalar*>(operands.c) + i * call.batch_stride_c, int(call.ldc));
  }
}

void product(const GemmCall& call, const ProductOperands& operands)
{
  if (call.types == GemmTypes::f64) {
    multiply<double>(g_dgemm, call, operands);
  } else {
    multiply<float>(g_sgemm, call, operands);
  }
  apply_epilogue(call, operands);
}

} // namespace

OpenedProduct open_cblas(void* library)
{
  // Builds that live beside another BLAS in one process put a word before their names.
  const bool plain = dlsym(library, "cblas_sgemm") != nullptr;
  g_sgemm = reinterpret_cast<Sgemm>(dlsym(library, plain ? "cblas_sgemm" : "scipy_cblas_sgemm"));
  g_dgemm = reinterpret_cast<Dgemm>(dlsym(library, plain ? "cblas_dgemm" : "scipy_cblas_dgemm"));
  if (g_sgemm == nullptr || g_dgemm == nullptr) {
    return {nullptr, "the library has no cblas_sgemm and cblas_dgemm"};
  }
  return {product, nullptr};
}

} // namespace hone::backend::runner
