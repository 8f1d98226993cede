// The ways in which hone-runner-library computes a matrix product. Linked into that program only.
#pragma once

#include "backend/library/library_request.h"

namespace hone::backend::runner {

struct ProductOperands {
  const void* a;
  const void* b;
  const void* bias; // null where the call has none
  void* c;
};

using Product = void (*)(const GemmCall& call, const ProductOperands& operands);

// Opens what the request needs and returns the function that computes it. nullptr: `error` says what is missing.
struct OpenedProduct {
  Product product = nullptr;
  const char* error = nullptr;
};
OpenedProduct open_cblas(void* library);
OpenedProduct open_dnnl_sgemm(void* library);
OpenedProduct open_dnnl_gemm(void* library, const GemmCall& call);   // of narrow operands
OpenedProduct open_dnnl_matmul(void* library, const GemmCall& call); // what follows is fused into it

OpenedProduct open_dnnl3_matmul(void* library, const GemmCall& call);
OpenedProduct open_mkl_jit(void* library, const GemmCall& call);
OpenedProduct open_clblast(void* library);
OpenedProduct open_xsmm(void* library, const GemmCall& call);

// The bias and the activation of a call, over the whole output, for libraries that only multiply.
void apply_epilogue(const GemmCall& call, const ProductOperands& operands);

} // namespace hone::backend::runner
