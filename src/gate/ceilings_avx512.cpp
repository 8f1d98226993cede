// Ceiling loops with 64-byte vectors. CMakeLists.txt gives this file its instruction set and its optimisation level.
#include "gate/ceilings_loops.h"

#include <immintrin.h>

namespace hone::gate {
namespace {

using Floats = float __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));
using Words = std::uint64_t __attribute__((vector_size(64)));

using Sums = int __attribute__((vector_size(64)));

// Independent chains of one instruction each, on operands that are hidden from the optimiser.
[[gnu::target("avx512vnni")]] double bytes_loop()
{
  Sums operand = Sums{} + 0x01010101;
  asm volatile("" : "+m"(operand));
  Sums chain[k_chains];
  for (int i = 0; i < k_chains; ++i) {
    chain[i] = Sums{} + i; // chains that were the same would be computed once
  }
  for (std::int64_t step = 0; step < k_steps_per_call; ++step) {
    for (auto& sum : chain) {
      sum = (Sums)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)operand, (__m512i)operand);
    }
  }
  for (int i = 1; i < k_chains; ++i) {
    chain[0] += chain[i];
  }
  return chain[0][0];
}

[[gnu::target("avx512bf16,avx512bw")]] double bf16_loop()
{
  auto operand = (__m512bh)(Floats{} + 1.0F);
  asm volatile("" : "+m"(operand));
  Floats chain[k_chains];
  for (int i = 0; i < k_chains; ++i) {
    chain[i] = Floats{} + float(i); // chains that were the same would be computed once
  }
  for (std::int64_t step = 0; step < k_steps_per_call; ++step) {
    for (auto& sum : chain) {
      sum = (Floats)_mm512_dpbf16_ps((__m512)sum, operand, operand);
    }
  }
  for (int i = 1; i < k_chains; ++i) {
    chain[0] += chain[i];
  }
  return static_cast<double>(chain[0][0]);
}

} // namespace

constinit const InstructionSetLoops k_avx512_loops = {
  "avx512",
  arithmetic_loop<Floats, float>(),
  arithmetic_loop<Doubles, double>(),
  read_loop<Words, 1>,
  read_loop<Words, 4>,
  {bytes_loop, dot_operations(64, 4)},
  {bf16_loop, dot_operations(64, 2)},
};

} // namespace hone::gate
