// Matrices with a declared form: without it, an elimination on random numbers loses all digits.
#include "inputs/inputs.h"
#include "inputs/matrix_form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace hone::inputs {
namespace {

kernel::Argument matrix_of(kernel::MatrixForm form)
{
  kernel::Argument out;
  out.name = "A";
  out.type = kernel::DataType::f32;
  out.matrix = form;
  return out;
}

void expect_dominant(const std::vector<float>& matrix, std::size_t side)
{
  for (std::size_t i = 0; i < side; ++i) {
    double row = 0, column = 0;
    for (std::size_t j = 0; j < side; ++j) {
      row += j == i ? 0 : std::fabs(matrix[i * side + j]);
      column += j == i ? 0 : std::fabs(matrix[j * side + i]);
    }
    EXPECT_GT(matrix[i * side + i], std::max(row, column));
  }
}

TEST(MatrixForm, TheDiagonalOutweighsItsRowAndColumn)
{
  const std::size_t side = 5;
  std::vector<float> two(2 * side * side);
  for (std::size_t i = 0; i < two.size(); ++i) {
    two[i] = static_cast<float>(i % 7) - 3;
  }
  two[0] = -4; // of either sign
  keep_matrix_form(std::as_writable_bytes(std::span(two)), matrix_of(kernel::MatrixForm::dominant), side);
  expect_dominant({two.begin(), two.begin() + side * side}, side);
  expect_dominant({two.begin() + side * side, two.end()}, side);
}

TEST(MatrixForm, APositiveDefiniteMatrixIsSymmetric)
{
  const std::size_t side = 6;
  std::vector<float> matrix(side * side);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<float>(i * i % 11) - 5;
  }
  keep_matrix_form(std::as_writable_bytes(std::span(matrix)), matrix_of(kernel::MatrixForm::positive_definite), side);
  expect_dominant(matrix, side);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      EXPECT_EQ(matrix[i * side + j], matrix[j * side + i]);
    }
  }
}

// All zeros, and numbers at the end of the range, keep a diagonal that can divide.
TEST(MatrixForm, TheDiagonalIsNeitherZeroNorInfinite)
{
  for (const float value : {0.0F, 3e38F}) {
    std::vector<float> matrix(16, value);
    keep_matrix_form(std::as_writable_bytes(std::span(matrix)), matrix_of(kernel::MatrixForm::dominant), 4);
    EXPECT_GT(matrix[5], 0);
    EXPECT_TRUE(std::isfinite(matrix[5]));
  }
}

TEST(MatrixForm, OtherArgumentsStayAsTheyAre)
{
  std::vector<float> matrix(9, 2.0F);
  keep_matrix_form(std::as_writable_bytes(std::span(matrix)), matrix_of(kernel::MatrixForm::any), 3);
  EXPECT_EQ(matrix, std::vector<float>(9, 2.0F));
}

} // namespace
} // namespace hone::inputs
