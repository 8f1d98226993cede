void mirror_rows(int m, int n, const double *A, double *B)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      B[i * n + (n - 1 - j)] = 2 * A[i * n + j];
}
