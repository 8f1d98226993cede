// Where the elements of a contraction lie in memory: flat offsets per batch, row, column and summed position.
// Offsets of plain subscripts add up, so A[b,m,k] lies at batch[b] + outer[m] + k[k]. (internal to the room)
#pragma once

#include "kernel/kernel_class.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct ContractionTables {
  std::vector<std::int64_t> a_batch, a_m, a_k;
  std::vector<std::int64_t> b_batch, b_n, b_k;
  std::vector<std::int64_t> out_batch, out_m, out_n;

  static Result<ContractionTables> of(const Kernel& kernel, const Contraction& contraction, const Sizes& sizes);
};

} // namespace hone
