// The two loops behind every ceiling: independent chains of multiply-add, and reads of a working set.
//
// Included by one source file per instruction set, each compiled with its own flags. Everything here has internal
// linkage and uses no library header, so that no shared inline function is ever compiled for an instruction set that
// the CPU at hand may lack. (internal to the gate)
#pragma once

#include "gate/ceilings_probe.h"

namespace hone::gate {
namespace {

// Enough chains to cover latency x throughput of the multiply-add units on every CPU so far (at most 10), few enough
// to stay in 16 registers together with the two constants.
constexpr int k_chains = 12;
constexpr std::int64_t k_steps_per_call = 4096;

template <class Vector, class Scalar> double multiply_add_loop(std::int64_t steps)
{
  // Hidden from the optimiser, so that nothing can be computed at compile time. The chains converge to 2:
  // no overflow, no denormal numbers.
  Scalar half = Scalar(0.5);
  Scalar one = Scalar(1);
  asm volatile("" : "+m"(half), "+m"(one));
  const Vector factor = Vector{} + half;
  const Vector addend = Vector{} + one;
  Vector chain[k_chains];
  for (int i = 0; i < k_chains; ++i) {
    chain[i] = addend * Scalar(i);
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int i = 0; i < k_chains; ++i) {
      chain[i] = chain[i] * factor + addend;
    }
  }
  Vector total = chain[0];
  for (int i = 1; i < k_chains; ++i) {
    total += chain[i];
  }
  return static_cast<double>(total[0]);
}

// Of a loop whose instruction multiplies `products` pairs per lane of 32 bits.
constexpr double dot_operations(std::size_t vector_bytes, int products)
{
  return double(2 * products * std::int64_t(vector_bytes / 4) * k_chains * k_steps_per_call);
}

template <class Vector, class Scalar> constexpr ArithmeticLoop arithmetic_loop()
{
  constexpr std::int64_t lanes = sizeof(Vector) / sizeof(Scalar);
  return {[] { return multiply_add_loop<Vector, Scalar>(k_steps_per_call); },
          double(2 * lanes * k_chains * k_steps_per_call)};
}

// Reads `bytes` (a multiple of streams * 8 vectors) once, front to back in `streams` places at the same time: a
// single stream does not always keep the memory controller busy.
template <class Vector, int streams> std::uint64_t read_loop(const std::byte* data, std::size_t bytes)
{
  constexpr int unroll = 8;
  const std::size_t length = bytes / sizeof(Vector) / streams;
  const auto* vectors = reinterpret_cast<const Vector*>(data);
  Vector sum[unroll] = {};
  for (std::size_t at = 0; at + unroll / streams <= length; at += unroll / streams) {
    for (int stream = 0; stream < streams; ++stream) {
      for (int i = 0; i < unroll / streams; ++i) {
        sum[stream * (unroll / streams) + i] ^= vectors[std::size_t(stream) * length + at + std::size_t(i)];
      }
    }
  }
  Vector total = sum[0];
  for (int i = 1; i < unroll; ++i) {
    total ^= sum[i];
  }
  return static_cast<std::uint64_t>(total[0]);
}

} // namespace
} // namespace hone::gate
