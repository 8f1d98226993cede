// A contraction as the loop nest sees it: one index each for m, n and k; several summed indices are walked as one, all
// else is batch.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"

#include <string>
#include <vector>

namespace hone::lower {

struct ContractionView {
  const kernel::Statement* statement = nullptr;
  kernel::Contraction contraction;
  std::vector<kernel::IndexRange> batch; // repeated over: batch indices and all but the last of several m and n indices
  kernel::IndexRange m, n, k;
  std::vector<kernel::IndexRange> k_parts; // a sum over several indices is one over k = (first * extent + second)
  bool updates = false;   // the epilogue reads old values of the output: elements, each where it is stored
  bool a_strided = false; // neighbours in k are not neighbours in memory (transposed A)
  bool b_strided = false; // neighbours in n are not neighbours in memory (transposed B)
};

// An error says why the built-in rewrites do not cover this kernel. The first is for operands and outputs of f32 or
// f64. The second for narrow operands: i8 and u8 whose sums are stored as i32 and nothing else, and bf16 summed in f32
// with an output of f32 or bf16.
Result<ContractionView> contraction_view(const kernel::Kernel& kernel);
Result<ContractionView> dot_view(const kernel::Kernel& kernel);

// What is done to the finished sums must exist for vectors. An error says what does not.
Result<void> check_vector_epilogue(const kernel::Kernel& kernel, const ContractionView& view, const Dialect& dialect);

} // namespace hone::lower
