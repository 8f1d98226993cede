// libxsmm's generator of code for one shape of small product.
#include "backend/library/product.h"

#include <dlfcn.h>

namespace hone::backend::runner {
namespace {

using SingleCode = void (*)(const float*, const float*, float*, ...);
using DoubleCode = void (*)(const double*, const double*, double*, ...);
template <class Scalar, class Code>
using Dispatch = Code (*)(int, int, int, const int*, const int*, const int*, const Scalar*, const Scalar*, const int*,
                          const int*);

SingleCode g_single = nullptr;
DoubleCode g_double = nullptr;

template <class Scalar, class Code> void multiply(Code code, const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    code(static_cast<const Scalar*>(operands.b) + i * call.batch_stride_b,
         static_cast<const Scalar*>(operands.a) + i * call.batch_stride_a,
         static_cast<Scalar*>(operands.c) + i * call.batch_stride_c);
  }
}

void product(const GemmCall& call, const ProductOperands& operands)
{
  if (call.types == GemmTypes::f64) {
    multiply<double>(g_double, call, operands);
  } else {
    multiply<float>(g_single, call, operands);
  }
  apply_epilogue(call, operands);
}

// The library's matrices are column-major: C' = B' A'.
template <class Scalar, class Code> Code code_for(void* library, const char* name, const GemmCall& call)
{
  const auto dispatch = reinterpret_cast<Dispatch<Scalar, Code>>(dlsym(library, name));
  const int lda = int(call.ldb), ldb = int(call.lda), ldc = int(call.ldc);
  const Scalar alpha = 1, beta = 0;
  const int no_prefetch = 0;
  return dispatch == nullptr
           ? nullptr
           : dispatch(int(call.n), int(call.m), int(call.k), &lda, &ldb, &ldc, &alpha, &beta, nullptr, &no_prefetch);
}

} // namespace

OpenedProduct open_xsmm(void* library, const GemmCall& call)
{
  if (const auto initialise = reinterpret_cast<void (*)()>(dlsym(library, "libxsmm_init"))) {
    initialise();
  }
  if (call.types == GemmTypes::f64) {
    g_double = code_for<double, DoubleCode>(library, "libxsmm_dmmdispatch", call);
  } else {
    g_single = code_for<float, SingleCode>(library, "libxsmm_smmdispatch", call);
  }
  return g_single != nullptr || g_double != nullptr
           ? OpenedProduct{product, nullptr}
           : OpenedProduct{nullptr, "libxsmm generates no code for this shape"};
}

} // namespace hone::backend::runner
