void ger(int m, int n, float alpha, const float *x, const float *y, float *A)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] += alpha * x[i] * y[j];
}
