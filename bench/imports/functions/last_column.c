void last_column(int m, int n, const float *x, float *A)
{
  for (int i = 0; i < m; i++)
    A[i * n + n - 1] = 2 * x[i];
}
