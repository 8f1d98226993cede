// Ceiling loops with 64-byte vectors. CMakeLists.txt gives this file its instruction set and its optimisation level.
#include "gate/ceilings_loops.h"

namespace hone {
namespace {

using Floats = float __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));
using Words = std::uint64_t __attribute__((vector_size(64)));

using Sums = int __attribute__((vector_size(64)));
#if __GNUC__ == 12
using Halves = short __attribute__((vector_size(64)));
#else
using Halves = __bf16 __attribute__((vector_size(64)));
#endif

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
      sum = Sums(__builtin_ia32_vpdpbusd_v16si(sum, operand, operand));
    }
  }
  for (int i = 1; i < k_chains; ++i) {
    chain[0] += chain[i];
  }
  return chain[0][0];
}

[[gnu::target("avx512bf16,avx512bw")]] double bf16_loop()
{
  Halves operand = reinterpret_cast<Halves>(Floats{} + 1.0F);
  asm volatile("" : "+m"(operand));
  Floats chain[k_chains];
  for (int i = 0; i < k_chains; ++i) {
    chain[i] = Floats{} + float(i); // chains that were the same would be computed once
  }
  for (std::int64_t step = 0; step < k_steps_per_call; ++step) {
    for (auto& sum : chain) {
      sum = __builtin_ia32_dpbf16ps_v16sf(sum, operand, operand);
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

} // namespace hone
