// What the two versions of oneDNN's C interface have in common. (internal to hone-runner-library)
#pragma once

#include "backend/library/gemm_call.h"

#include <cstdint>
#include <dlfcn.h>

namespace hone::backend::runner::dnnl {

using Dim = std::int64_t;
inline constexpr int k_most_dims = 12;
using Dims = Dim[k_most_dims];
struct ExecutionArgument {
  int argument;
  void* memory;
};
enum { k_bf16 = 2, k_f32 = 3, k_s32 = 4, k_s8 = 5, k_u8 = 6 }; // element types
enum { k_success = 0, k_cpu_engine = 1, k_default_stream = 1 };
enum { k_argument_source = 1, k_argument_destination = 17, k_argument_weights = 33, k_argument_bias = 41 };

template <class Function> bool find(void* library, const char* name, Function& function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// A stored matrix (rows x columns of the operand, after transposing) as the library describes memory. Without a
// batch the primitive is two-dimensional: its fastest form.
struct MatrixShape {
  Dim batch, rows, columns, batch_stride, row_stride, column_stride;
};

struct ElementTypes {
  int a, b, c;
};

inline ElementTypes element_types(GemmTypes types)
{
  switch (types) {
  case GemmTypes::i8_i8_i32:
    return {k_s8, k_s8, k_s32};
  case GemmTypes::u8_i8_i32:
    return {k_u8, k_s8, k_s32};
  case GemmTypes::bf16_bf16_f32:
    return {k_bf16, k_bf16, k_f32};
  case GemmTypes::bf16:
    return {k_bf16, k_bf16, k_bf16};
  default:
    return {k_f32, k_f32, k_f32};
  }
}

inline MatrixShape stored(bool transposed, Dim leading, Dim batch, Dim batch_stride, Dim rows, Dim columns)
{
  return {batch, rows, columns, batch_stride, transposed ? 1 : leading, transposed ? leading : 1};
}

} // namespace hone::backend::runner::dnnl
