// oneMKL's generator of code for one shape of small product.
#include "backend/library/product.h"

#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

enum { k_row_major = 101, k_no_transpose = 111, k_transpose = 112 };
enum { k_generated = 0 }; // 1: the library would use its plain product

using SingleCode = void (*)(void*, float*, float*, float*);
using DoubleCode = void (*)(void*, double*, double*, double*);
using CreateSingle = int (*)(void**, int, int, int, int, int, int, float, int, int, float, int);
using CreateDouble = int (*)(void**, int, int, int, int, int, int, double, int, int, double, int);

void* g_generator = nullptr;
void* g_code = nullptr;

template <class Scalar, class Code> void multiply(const GemmCall& call, const ProductOperands& operands)
{
  auto* const a = static_cast<Scalar*>(const_cast<void*>(operands.a));
  auto* const b = static_cast<Scalar*>(const_cast<void*>(operands.b));
  auto* const c = static_cast<Scalar*>(operands.c);
  for (std::int64_t i = 0; i < call.batch; ++i) {
    reinterpret_cast<Code>(g_code)(g_generator, a + i * call.batch_stride_a, b + i * call.batch_stride_b,
                                   c + i * call.batch_stride_c);
  }
}

void product(const GemmCall& call, const ProductOperands& operands)
{
  if (call.types == GemmTypes::f64) {
    multiply<double, DoubleCode>(call, operands);
  } else {
    multiply<float, SingleCode>(call, operands);
  }
  apply_epilogue(call, operands);
}

template <class Scalar, class Create> int create(void* library, const char* name, const GemmCall& call)
{
  const auto function = reinterpret_cast<Create>(dlsym(library, name));
  const auto operation = [](bool transposed) { return transposed ? k_transpose : k_no_transpose; };
  return function == nullptr ? -1
                             : function(&g_generator, k_row_major, operation(call.transpose_a),
                                        operation(call.transpose_b), int(call.m), int(call.n), int(call.k),
                                        Scalar(call.alpha), int(call.lda), int(call.ldb), Scalar(0), int(call.ldc));
}

} // namespace

OpenedProduct open_mkl_jit(void* library, const GemmCall& call)
{
  const bool wide = call.types == GemmTypes::f64;
  const int status = wide ? create<double, CreateDouble>(library, "mkl_cblas_jit_create_dgemm", call)
                          : create<float, CreateSingle>(library, "mkl_cblas_jit_create_sgemm", call);
  using GetCode = void* (*)(const void*);
  const auto code = reinterpret_cast<GetCode>(dlsym(library, wide ? "mkl_jit_get_dgemm_ptr" : "mkl_jit_get_sgemm_ptr"));
  if (status != k_generated || code == nullptr) {
    return {nullptr, "oneMKL generates no code for this shape on this processor"};
  }
  g_code = code(g_generator);
  return g_code != nullptr ? OpenedProduct{product, nullptr} : OpenedProduct{nullptr, "oneMKL generated no code"};
}

} // namespace hone::backend::runner
