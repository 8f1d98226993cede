// The columns of a row ascend: what lies before the diagonal comes first, and what lies behind it last, so that each sweep
// reads its half of the row only. Scaling goes along with the backward sweep, and divisions become one per row.
void SymmetricGaussSeidel::apply(const Vector& residual, Vector& correction) const
{
  const double w = m_relaxation;
  const std::size_t rows = residual.size();
  const int* __restrict begin = m_matrix.row_begin.data();
  const int* __restrict column = m_matrix.column.data();
  const double* __restrict value = m_matrix.value.data();
  const double* __restrict diagonal = m_diagonal.data();
  const double* __restrict r = residual.data();
  double* __restrict x = correction.data();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = r[row];
    const int here = static_cast<int>(row);
    for (int n = begin[row]; column[n] < here; ++n) {
      sum -= value[n] * x[column[n]];
    }
    x[row] = sum * w / diagonal[row];
  }
  for (std::size_t row = rows; row-- > 0;) {
    double sum = 0;
    const int here = static_cast<int>(row);
    for (int n = begin[row + 1] - 1; column[n] > here; --n) {
      sum += value[n] * x[column[n]];
    }
    x[row] = (2 - w) * x[row] - sum * w / diagonal[row];
  }
}
