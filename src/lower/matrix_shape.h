// What steps ask about the matrix instructions that a device has for a kernel.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "util/result.h"

namespace hone::lower {

// What a product of two operands of f32 is off by as tf32, which has 11 bits: rounded, and cut off.
constexpr double k_tf32_rounded = 0x1p-10, k_tf32_cut = 0x1p-9;

struct MatrixShape {
  kernel::DataType type = kernel::DataType::f16; // of the operands' elements
  int items = 0;                                 // of a warp
  int rows = 0, columns = 0, terms = 0;          // of one instruction
  int element_bytes = 0;
  bool warp_groups = false; // four warps have an instruction too
};

// An error says why the kernel's sums have no such instruction here, and the way out.
Result<MatrixShape> matrix_shape(const kernel::Kernel& kernel, const Dialect& dialect);

} // namespace hone::lower
