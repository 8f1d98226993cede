// Where the elements of a contraction lie in memory: flat offsets per batch, row, column and summed position.
// Offsets of plain subscripts add up, so A[b,m,k] lies at batch[b] + outer[m] + k[k]. (internal to the room)
#pragma once

#include "kernel/kernel_class.h"
#include "util/large_vector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone::kernel {

struct ContractionTables {
  using Offsets = LargeVector<std::int64_t>;

  Offsets a_batch, a_m, a_k;
  Offsets b_batch, b_n, b_k;
  Offsets out_batch, out_m, out_n;

  static Result<ContractionTables> of(const Kernel& kernel, const Contraction& contraction, const Sizes& sizes);
};

} // namespace hone::kernel
