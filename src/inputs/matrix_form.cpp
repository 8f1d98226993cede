#include "inputs/matrix_form.h"

#include "inputs/elements.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone::inputs {
namespace {

// How much larger than the rest of its row and column an element of the diagonal is: far enough from 1 that rounding
// does not grow on the way through an elimination.
constexpr double k_outweighs = 1.5;

void mirror(std::vector<double>& matrix, std::size_t extent)
{
  for (std::size_t row = 0; row < extent; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      matrix[row * extent + column] = matrix[column * extent + row];
    }
  }
}

void raise_diagonal(std::vector<double>& matrix, std::size_t extent, double largest)
{
  std::vector<double> rows(extent), columns(extent);
  for (std::size_t row = 0; row < extent; ++row) {
    for (std::size_t column = 0; column < extent; ++column) {
      const double size = row == column ? 0 : std::fabs(matrix[row * extent + column]);
      rows[row] += size;
      columns[column] += size;
    }
  }
  for (std::size_t i = 0; i < extent; ++i) {
    double& element = matrix[i * extent + i];
    const double others = k_outweighs * std::max(rows[i], columns[i]);
    element = std::min(others + std::fabs(element), largest);
    element = element == 0 ? 1 : element;
  }
}

} // namespace

void keep_matrix_form(std::span<std::byte> bytes, const kernel::Argument& argument, std::int64_t extent)
{
  if (argument.matrix == kernel::MatrixForm::any || extent < 1) {
    return;
  }
  const auto side = static_cast<std::size_t>(extent);
  const std::size_t size = kernel::size_of(argument.type), whole = side * side * size;
  std::vector<double> matrix(side * side);
  for (std::size_t start = 0; start + whole <= bytes.size(); start += whole) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      matrix[i] = load_element(argument.type, &bytes[start + i * size]);
    }
    if (argument.matrix == kernel::MatrixForm::positive_definite) {
      mirror(matrix, side);
    }
    raise_diagonal(matrix, side, kernel::largest_value(argument.type));
    store_elements(argument.type, &bytes[start], matrix);
  }
}

} // namespace hone::inputs
