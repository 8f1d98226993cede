// Products of a warp group that were begun and not waited for. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"
#include "emulate/execute/matrix_element.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace hone::emulate::execute {

// One instruction, decoded: where its operands lie in the register file.
struct GroupProduct {
  int n = 0, k = 0, element_bytes = 2;
  MatrixElement type = MatrixElement::f16, result = MatrixElement::f32;
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
  bool adds = true;
  std::vector<std::array<std::uint32_t, k_lanes>> taken; // accumulators at the beginning of what is under way
  std::vector<PendingAccess> loads;
  std::uint32_t place = 0;
};

} // namespace hone::emulate::execute
