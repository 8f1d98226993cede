#define BLOCK 48
static inline int least(int a, int b) { return a < b ? a : b; }
void gemm_blocked(int n, const float *A, const float *B, float *C)
{
  for (int i = 0; i < n * n; i++)
    C[i] = 0.0f;
  for (int ii = 0; ii < n; ii += BLOCK)
    for (int kk = 0; kk < n; kk += BLOCK)
      for (int jj = 0; jj < n; jj += BLOCK)
        for (int i = ii; i < least(ii + BLOCK, n); i++)
          for (int k = kk; k < least(kk + BLOCK, n); k++)
            for (int j = jj; j < least(jj + BLOCK, n); j++)
              C[i * n + j] += A[i * n + k] * B[k * n + j];
}
