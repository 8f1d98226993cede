void gemm_lda(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int p = 0; p < k; p++)
        sum += A[i * lda + p] * B[p * ldb + j];
      C[i * ldc + j] = sum;
    }
}
