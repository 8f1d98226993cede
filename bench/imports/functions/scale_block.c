void scale_block(int m, int n, double a, double *A, int ld)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      A[i * ld + j] *= a;
}
