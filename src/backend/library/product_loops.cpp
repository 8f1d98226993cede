// Plain loops: what a compiler makes of a matrix product that nobody optimised, and the work after a product.
// CMakeLists.txt optimises this file in every preset, since its speed is quoted.
#include "backend/library/product.h"

#include <algorithm>

namespace hone::runner {
namespace {

template <class Scalar> struct Matrices {
  const Scalar* a;
  const Scalar* b;
  Scalar* c;
  std::int64_t a_row, a_column, b_row, b_column;
};

template <class Scalar>
Matrices<Scalar> matrices(const GemmCall& call, const ProductOperands& operands, std::int64_t batch)
{
  return {static_cast<const Scalar*>(operands.a) + batch * call.batch_stride_a,
          static_cast<const Scalar*>(operands.b) + batch * call.batch_stride_b,
          static_cast<Scalar*>(operands.c) + batch * call.batch_stride_c,
          call.transpose_a ? 1 : call.lda,
          call.transpose_a ? call.lda : 1,
          call.transpose_b ? 1 : call.ldb,
          call.transpose_b ? call.ldb : 1};
}

// Row by row, adding multiples of whole rows of B: the innermost loop is contiguous and vectorises.
template <class Scalar> [[gnu::always_inline]] inline void ikj(const GemmCall& call, const Matrices<Scalar>& matrix)
{
  for (std::int64_t i = 0; i < call.m; ++i) {
    Scalar* __restrict__ row = matrix.c + i * call.ldc;
    std::fill(row, row + call.n, Scalar(0));
    for (std::int64_t k = 0; k < call.k; ++k) {
      const Scalar factor = matrix.a[i * matrix.a_row + k * matrix.a_column] * Scalar(call.alpha);
      const Scalar* __restrict__ b_row = matrix.b + k * matrix.b_row;
      if (matrix.b_column == 1) {
        for (std::int64_t j = 0; j < call.n; ++j) {
          row[j] += factor * b_row[j];
        }
      } else {
        for (std::int64_t j = 0; j < call.n; ++j) {
          row[j] += factor * b_row[j * matrix.b_column];
        }
      }
    }
  }
}

// The definition, element by element.
template <class Scalar> [[gnu::always_inline]] inline void ijk(const GemmCall& call, const Matrices<Scalar>& matrix)
{
  for (std::int64_t i = 0; i < call.m; ++i) {
    for (std::int64_t j = 0; j < call.n; ++j) {
      Scalar sum = 0;
      for (std::int64_t k = 0; k < call.k; ++k) {
        sum += matrix.a[i * matrix.a_row + k * matrix.a_column] * matrix.b[k * matrix.b_row + j * matrix.b_column];
      }
      matrix.c[i * call.ldc + j] = sum * Scalar(call.alpha);
    }
  }
}

template <class Scalar>
[[gnu::always_inline]] inline void epilogue(const GemmCall& call, const Scalar* __restrict__ bias, Scalar* c)
{
  for (std::int64_t i = 0; i < call.m; ++i) {
    Scalar* __restrict__ row = c + i * call.ldc;
    for (std::int64_t j = 0; j < call.n; ++j) {
      const Scalar value = bias != nullptr ? row[j] + bias[j] : row[j];
      row[j] = call.relu && value < 0 ? Scalar(0) : value;
    }
  }
}

template <class Scalar, bool row_wise>
[[gnu::always_inline]] inline void all_products(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    if constexpr (row_wise) {
      ikj(call, matrices<Scalar>(call, operands, i));
    } else {
      ijk(call, matrices<Scalar>(call, operands, i));
    }
  }
}

template <class Scalar>
[[gnu::always_inline]] inline void all_epilogues(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    epilogue(call, static_cast<const Scalar*>(operands.bias),
             static_cast<Scalar*>(operands.c) + i * call.batch_stride_c);
  }
}

template <bool row_wise>
[[gnu::always_inline]] inline void product(const GemmCall& call, const ProductOperands& operands)
{
  if (call.f64) {
    all_products<double, row_wise>(call, operands);
  } else {
    all_products<float, row_wise>(call, operands);
  }
}

[[gnu::always_inline]] inline void epilogues(const GemmCall& call, const ProductOperands& operands)
{
  if (call.f64) {
    all_epilogues<double>(call, operands);
  } else {
    all_epilogues<float>(call, operands);
  }
}

#define HONE_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")]]
#define HONE_AVX2 [[gnu::target("avx2,fma")]]
#define HONE_FOR_EACH_ISA(name, body)                                                                                  \
  HONE_AVX512 void name##_avx512(const GemmCall& call, const ProductOperands& operands)                                \
  {                                                                                                                    \
    body(call, operands);                                                                                              \
  }                                                                                                                    \
  HONE_AVX2 void name##_avx2(const GemmCall& call, const ProductOperands& operands)                                    \
  {                                                                                                                    \
    body(call, operands);                                                                                              \
  }                                                                                                                    \
  void name##_plain(const GemmCall& call, const ProductOperands& operands)                                             \
  {                                                                                                                    \
    body(call, operands);                                                                                              \
  }

HONE_FOR_EACH_ISA(ikj_product, product<true>)
HONE_FOR_EACH_ISA(ijk_product, product<false>)
HONE_FOR_EACH_ISA(epilogue, epilogues)

Product best_of(Product avx512, Product avx2, Product plain)
{
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
      && __builtin_cpu_supports("avx512bw")) {
    return avx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2 : plain;
}

Product g_loops = nullptr;

void loops_with_epilogue(const GemmCall& call, const ProductOperands& operands)
{
  g_loops(call, operands);
  apply_epilogue(call, operands);
}

} // namespace

OpenedProduct open_loops(bool row_wise)
{
  g_loops = row_wise ? best_of(ikj_product_avx512, ikj_product_avx2, ikj_product_plain)
                     : best_of(ijk_product_avx512, ijk_product_avx2, ijk_product_plain);
  return {loops_with_epilogue, nullptr};
}

void apply_epilogue(const GemmCall& call, const ProductOperands& operands)
{
  static const Product best = best_of(epilogue_avx512, epilogue_avx2, epilogue_plain);
  if (call.has_epilogue()) {
    best(call, operands);
  }
}

} // namespace hone::runner
