#include <string.h>
void gemv_columns(int m, int n, const float *A, const float *x, float *y)
{
  memset(y, 0, n * sizeof(float));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[j] += A[i * n + j] * x[i];
}
