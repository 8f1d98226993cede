void syrk_lower(int n, int k, float alpha, const float *A, float beta, float *C)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      float s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * A[j * k + p];
      C[i * n + j] = alpha * s + beta * C[i * n + j];
    }
}
