void gemm_alpha_beta(int m, int n, int k, double alpha, const double *A, const double *B, double beta, double *C)
{
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      C[i * n + j] *= beta;
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i * n + j] += alpha * A[i * k + p] * B[p * n + j];
  }
}
