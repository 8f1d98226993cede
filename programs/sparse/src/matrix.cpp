#include "matrix.h"

#include <algorithm>
#include <cmath>

void Triplets::add(int row, int column, double value)
{
  m_entries.push_back({row, column, value});
}

double SparseMatrix::diagonal(int row) const
{
  for (int n = row_begin[static_cast<std::size_t>(row)]; n < row_begin[static_cast<std::size_t>(row) + 1]; ++n) {
    if (column[static_cast<std::size_t>(n)] == row) {
      return value[static_cast<std::size_t>(n)];
    }
  }
  return 0;
}

SparseMatrix compress(const Triplets& triplets)
{
  std::vector<Triplets::Entry> sorted = triplets.entries();
  std::sort(sorted.begin(), sorted.end(), [](const Triplets::Entry& a, const Triplets::Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  SparseMatrix matrix;
  matrix.rows = triplets.rows();
  matrix.row_begin.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
  for (std::size_t n = 0; n < sorted.size(); ++n) {
    const bool again = n > 0 && sorted[n].row == sorted[n - 1].row && sorted[n].column == sorted[n - 1].column;
    if (again) {
      matrix.value.back() += sorted[n].value;
      continue;
    }
    matrix.column.push_back(sorted[n].column);
    matrix.value.push_back(sorted[n].value);
    ++matrix.row_begin[static_cast<std::size_t>(sorted[n].row) + 1];
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    matrix.row_begin[row + 1] += matrix.row_begin[row];
  }
  return matrix;
}

void multiply(const SparseMatrix& matrix, const Vector& x, Vector& y)
{
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    double sum = 0;
    for (auto n = static_cast<std::size_t>(matrix.row_begin[row]); n < static_cast<std::size_t>(matrix.row_begin[row + 1]);
         ++n) {
      sum += matrix.value[n] * x[static_cast<std::size_t>(matrix.column[n])];
    }
    y[row] = sum;
  }
}

double largest_asymmetry(const SparseMatrix& matrix)
{
  double largest = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    for (int n = matrix.row_begin[static_cast<std::size_t>(row)]; n < matrix.row_begin[static_cast<std::size_t>(row) + 1];
         ++n) {
      const int column = matrix.column[static_cast<std::size_t>(n)];
      const auto begin = matrix.column.begin() + matrix.row_begin[static_cast<std::size_t>(column)];
      const auto end = matrix.column.begin() + matrix.row_begin[static_cast<std::size_t>(column) + 1];
      const auto mirrored = std::lower_bound(begin, end, row);
      const double other =
        mirrored != end && *mirrored == row ? matrix.value[static_cast<std::size_t>(mirrored - matrix.column.begin())] : 0;
      largest = std::max(largest, std::abs(matrix.value[static_cast<std::size_t>(n)] - other));
    }
  }
  return largest;
}

double dot(const Vector& a, const Vector& b)
{
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    sum += a[n] * b[n];
  }
  return sum;
}

void add_scaled(Vector& y, double factor, const Vector& x)
{
  for (std::size_t n = 0; n < y.size(); ++n) {
    y[n] += factor * x[n];
  }
}

double norm(const Vector& a)
{
  return std::sqrt(dot(a, a));
}
