// Sweeps forward only, which costs half of the work and more iterations.
void SymmetricGaussSeidel::apply(const Vector& residual, Vector& correction) const
{
  for (std::size_t row = 0; row < residual.size(); ++row) {
    double sum = residual[row];
    for (int n = m_matrix.row_begin[row]; m_matrix.column[n] < static_cast<int>(row); ++n) {
      sum -= m_matrix.value[n] * correction[m_matrix.column[n]];
    }
    correction[row] = sum * m_relaxation / m_diagonal[row];
  }
}
