// Products of a warp group that were begun and not waited for. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace hone::emulate::execute {

enum class FragmentType : std::uint8_t { f16, bf16, tf32, s8, u8, e4m3, e5m2, f32, s32 };

// A float of 8 bits, with so many bits of exponent and mantissa.
double small_float(std::uint8_t bits, int exponent_bits, int mantissa_bits);

// One instruction, decoded: where its operands lie in the register file.
struct GroupProduct {
  int n = 0, k = 0, element_bytes = 2;
  FragmentType type = FragmentType::f16, result = FragmentType::f32;
  std::vector<std::uint32_t> d;
  bool a_in_registers = false, a_transposed = false, b_transposed = false;
  std::array<std::uint32_t, 4> a_registers{};
  std::uint32_t a = 0, b = 0; // descriptors
  bool scale_d_predicate = false;
  std::uint32_t scale_d = 1; // a predicate's place, or 0 or 1
  int scale_a = 1, scale_b = 1;
};

struct PendingProduct {
  std::shared_ptr<const GroupProduct> how;
  std::uint64_t a = 0, b = 0, group = 0; // descriptors; group 0: not committed
  std::array<std::array<std::uint32_t, k_lanes>, 4> a_words{};
  bool adds = true;
  std::vector<std::array<std::uint32_t, k_lanes>> taken; // accumulators at the beginning of what is under way
  std::vector<PendingLoad> loads;
  std::uint32_t place = 0;
};

} // namespace hone::emulate::execute
