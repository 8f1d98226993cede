// The work after a product, in loops that a compiler vectorises, erf included (by the C library's vector functions).
// CMakeLists.txt optimises this file in every preset: a rival slowed down by our own part would be no rival.
#include "backend/library/product.h"

#include <cmath>

namespace hone::backend::runner {
namespace {

template <Activation kind, class Scalar> [[gnu::always_inline]] inline Scalar activate(Scalar value)
{
  if constexpr (kind == Activation::relu) {
    return value < 0 ? Scalar(0) : value;
  }
  if constexpr (kind == Activation::gelu) {
    return Scalar(0.5) * value * (1 + std::erf(value * Scalar(0.7071067811865476)));
  }
  return value;
}

template <Activation kind, class Scalar>
[[gnu::always_inline]] inline void epilogue(const GemmCall& call, const Scalar* __restrict__ bias, Scalar* c)
{
  for (std::int64_t i = 0; i < call.m; ++i) {
    Scalar* __restrict__ row = c + i * call.ldc;
    for (std::int64_t j = 0; j < call.n; ++j) {
      const Scalar value = bias != nullptr ? row[j] + bias[j] : row[j];
      row[j] = activate<kind>(value);
    }
  }
}

template <class Scalar>
[[gnu::always_inline]] inline void all_epilogues(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    const auto* const bias = static_cast<const Scalar*>(operands.bias);
    Scalar* const c = static_cast<Scalar*>(operands.c) + i * call.batch_stride_c;
    switch (call.activation) {
    case Activation::none:
      epilogue<Activation::none>(call, bias, c);
      break;
    case Activation::relu:
      epilogue<Activation::relu>(call, bias, c);
      break;
    case Activation::gelu:
      epilogue<Activation::gelu>(call, bias, c);
      break;
    }
  }
}

[[gnu::always_inline]] inline void epilogues(const GemmCall& call, const ProductOperands& operands)
{
  if (call.types == GemmTypes::f64) {
    all_epilogues<double>(call, operands);
  } else {
    all_epilogues<float>(call, operands);
  }
}

[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")]] void
epilogue_avx512(const GemmCall& call, const ProductOperands& operands)
{
  epilogues(call, operands);
}

[[gnu::target("avx2,fma")]] void epilogue_avx2(const GemmCall& call, const ProductOperands& operands)
{
  epilogues(call, operands);
}

void epilogue_plain(const GemmCall& call, const ProductOperands& operands)
{
  epilogues(call, operands);
}

Product epilogue_for_this_cpu()
{
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
      && __builtin_cpu_supports("avx512bw")) {
    return epilogue_avx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? epilogue_avx2 : epilogue_plain;
}

} // namespace

void apply_epilogue(const GemmCall& call, const ProductOperands& operands)
{
  static const Product best = epilogue_for_this_cpu();
  if (call.has_epilogue()) {
    best(call, operands);
  }
}

} // namespace hone::backend::runner
