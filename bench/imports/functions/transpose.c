void transpose(int m, int n, const float *A, float *B)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      B[j * m + i] = A[i * n + j];
}
