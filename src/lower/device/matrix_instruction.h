// Instructions by which the items of a warp multiply small matrices together: what shape they have, and which item
// holds which element of the result. (internal to the folder)
#pragma once

#include "kernel/data_type.h"

#include <span>
#include <string_view>

namespace hone::lower::device {

// D (rows x columns) += A (rows x terms) B (terms x columns). Of the result an item holds `of_rows` rows times
// `of_columns` neighbours: row row_step * r + row_factor * (item / item_columns), first column
// of_columns * (item % item_columns).
struct MatrixInstruction {
  std::string_view dialect;
  kernel::DataType type;    // of A and B; sums are f32
  int rows, columns, terms; // of one instruction
  int items;                // that carry it out together
  int of_rows, of_columns;  // of the result, in each item
  int row_step, row_factor, item_columns;
  int a_registers, b_registers; // of 32 bits, in each item
  std::string_view call;        // the function in the dialect's prelude
};

// nullptr: the dialect has none for elements of this type.
const MatrixInstruction* find_matrix_instruction(std::string_view dialect, kernel::DataType type);

} // namespace hone::lower::device
