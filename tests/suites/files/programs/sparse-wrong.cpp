// Leaves the first row out of the backward sweep.
void SymmetricGaussSeidel::apply(const Vector& residual, Vector& correction) const
{
  const double w = m_relaxation;
  const std::size_t rows = residual.size();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = residual[row];
    for (int n = m_matrix.row_begin[row]; m_matrix.column[n] < static_cast<int>(row); ++n) {
      sum -= m_matrix.value[n] * correction[m_matrix.column[n]];
    }
    correction[row] = sum * w / m_diagonal[row];
  }
  for (std::size_t row = rows - 1; row > 0; --row) {
    double sum = 0;
    for (int n = m_matrix.row_begin[row + 1] - 1; m_matrix.column[n] > static_cast<int>(row); --n) {
      sum += m_matrix.value[n] * correction[m_matrix.column[n]];
    }
    correction[row] = (2 - w) * correction[row] - sum * w / m_diagonal[row];
  }
}
