// What operands hold, on the machine that packs and on the one that runs.
#pragma once

#include <cstdint>

namespace hone::gpu_bench {

// splitmix64 of a tensor's number and an element's.
inline std::uint64_t bits_of(std::uint64_t tensor, std::uint64_t element)
{
  std::uint64_t x = (tensor + 1) * 0x9e3779b97f4a7c15u + element * 0xd1342543de82ef95u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sixteenths from -1 to 1: exact in f16, in bf16 and as products, nearly exact as sums.
inline double few_bits(std::uint64_t tensor, std::uint64_t element)
{
  return (static_cast<double>(bits_of(tensor, element) % 33) - 16) / 16;
}

// All bits of a float at random, from -1 to 1: what a device's clock is like depends on how many bits change.
inline double many_bits(std::uint64_t tensor, std::uint64_t element)
{
  return static_cast<double>(static_cast<std::int64_t>(bits_of(tensor, element))) / 9.3e18;
}

} // namespace hone::gpu_bench
