void gemm_transposed(int m, int n, int k, const float *restrict A, const float *restrict Bt, float *restrict C)
{
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const float *a = A + i * k, *b = Bt + j * k;
      float s = 0;
      for (int p = 0; p < k; ++p)
        s += a[p] * b[p];
      C[i * n + j] = s;
    }
}
