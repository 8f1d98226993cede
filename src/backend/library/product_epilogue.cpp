// The work after a product, in loops that a compiler vectorises. CMakeLists.txt optimises this file in every preset:
// a rival slowed down by our own part would be no rival.
#include "backend/library/product.h"

namespace hone::runner {
namespace {

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

template <class Scalar>
[[gnu::always_inline]] inline void all_epilogues(const GemmCall& call, const ProductOperands& operands)
{
  for (std::int64_t i = 0; i < call.batch; ++i) {
    epilogue(call, static_cast<const Scalar*>(operands.bias),
             static_cast<Scalar*>(operands.c) + i * call.batch_stride_c);
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

} // namespace hone::runner
