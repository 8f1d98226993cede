#include "preconditioner.h"

#include <stdexcept>

void Identity::apply(const Vector& residual, Vector& correction) const
{
  correction = residual;
}

Jacobi::Jacobi(const SparseMatrix& matrix) : m_inverse(static_cast<std::size_t>(matrix.rows))
{
  for (int row = 0; row < matrix.rows; ++row) {
    m_inverse[static_cast<std::size_t>(row)] = 1 / matrix.diagonal(row);
  }
}

void Jacobi::apply(const Vector& residual, Vector& correction) const
{
  for (std::size_t row = 0; row < m_inverse.size(); ++row) {
    correction[row] = m_inverse[row] * residual[row];
  }
}

SymmetricGaussSeidel::SymmetricGaussSeidel(const SparseMatrix& matrix, double relaxation)
  : m_matrix(matrix), m_relaxation(relaxation), m_diagonal(static_cast<std::size_t>(matrix.rows))
{
  for (int row = 0; row < matrix.rows; ++row) {
    m_diagonal[static_cast<std::size_t>(row)] = matrix.diagonal(row);
  }
}

void SymmetricGaussSeidel::apply(const Vector& residual, Vector& correction) const
{
  // (D/w + L) y = r, z = D (2 - w)/w y, (D/w + U) x = z
  const double w = m_relaxation;
  Vector forward(residual.size(), 0.0);
  for (int row = 0; row < m_matrix.rows; ++row) {
    double sum = residual.at(static_cast<std::size_t>(row));
    for (int n = m_matrix.row_begin.at(static_cast<std::size_t>(row));
         n < m_matrix.row_begin.at(static_cast<std::size_t>(row) + 1); ++n) {
      const int column = m_matrix.column.at(static_cast<std::size_t>(n));
      if (column < row) {
        sum -= m_matrix.value.at(static_cast<std::size_t>(n)) * forward.at(static_cast<std::size_t>(column));
      }
    }
    forward.at(static_cast<std::size_t>(row)) = sum / (m_diagonal.at(static_cast<std::size_t>(row)) / w);
  }
  Vector scaled(residual.size(), 0.0);
  for (std::size_t row = 0; row < residual.size(); ++row) {
    scaled.at(row) = m_diagonal.at(row) * (2 - w) / w * forward.at(row);
  }
  for (int row = m_matrix.rows - 1; row >= 0; --row) {
    double sum = scaled.at(static_cast<std::size_t>(row));
    for (int n = m_matrix.row_begin.at(static_cast<std::size_t>(row));
         n < m_matrix.row_begin.at(static_cast<std::size_t>(row) + 1); ++n) {
      const int column = m_matrix.column.at(static_cast<std::size_t>(n));
      if (column > row) {
        sum -= m_matrix.value.at(static_cast<std::size_t>(n)) * correction.at(static_cast<std::size_t>(column));
      }
    }
    correction.at(static_cast<std::size_t>(row)) = sum / (m_diagonal.at(static_cast<std::size_t>(row)) / w);
  }
}

std::unique_ptr<Preconditioner> make_preconditioner(const SparseMatrix& matrix, const Options& options)
{
  if (options.preconditioner == "none") {
    return std::make_unique<Identity>();
  }
  if (options.preconditioner == "jacobi") {
    return std::make_unique<Jacobi>(matrix);
  }
  if (options.preconditioner == "ssor") {
    return std::make_unique<SymmetricGaussSeidel>(matrix, options.relaxation);
  }
  throw std::invalid_argument("there is no preconditioner '" + options.preconditioner + "'");
}
