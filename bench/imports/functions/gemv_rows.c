#include <stddef.h>
void gemv_rows(size_t m, size_t n, const double *A, const double *x, double *y)
{
  for (size_t i = 0; i < m; i++) {
    double s = 0;
    for (size_t j = 0; j < n; j++)
      s += A[i * n + j] * x[j];
    y[i] = s;
  }
}
