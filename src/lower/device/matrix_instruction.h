// Instructions by which the items of a warp multiply small matrices together: what shape they have, and which item
// holds which element of the result. (internal to the folder)
#pragma once

#include "kernel/kernel.h"
#include "util/result.h"

#include <string_view>

namespace hone::lower::device {

enum class WarpGroups {
  none,           // no instruction for four warps takes these elements
  lines_of_terms, // one does, where the lines of both blocks hold terms
  any_lines,
};

// D (rows x columns) += A (rows x terms) B (terms x columns). Of the result an item holds `of_rows` rows times
// `of_columns` neighbours: row row_step * r + row_factor * (item / item_columns), first column
// of_columns * (item % item_columns).
struct MatrixInstruction {
  std::string_view dialect;
  kernel::DataType type;    // of A and B
  kernel::DataType sum;     // of D
  std::string_view name;    // "f16": the prelude has hone_mma_f16
  int rows, columns, terms; // of one instruction
  int items;                // that carry it out together
  int of_rows, of_columns;  // of the result, in each item
  int row_step, row_factor, item_columns;
  kernel::DataType registers; // what an item's registers hold of A and B, and how many there are
  int a_registers, b_registers;
  WarpGroups warp_groups;
};

// What multiplies the elements of a statement's sum. The error says why nothing does, and the way out.
Result<const MatrixInstruction*> matrix_instruction_for(const kernel::Kernel& kernel,
                                                        const kernel::Statement& statement, std::string_view dialect);

// That of the first statement that has one: tuning parameters are in its elements.
Result<const MatrixInstruction*> matrix_instruction_of(const kernel::Kernel& kernel, std::string_view dialect);

} // namespace hone::lower::device
