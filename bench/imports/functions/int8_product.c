#include <stdint.h>
void int8_product(int m, int n, int k, const int8_t *A, const int8_t *B, int32_t *C)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int32_t s = 0;
      for (int p = 0; p < k; p++)
        s += (int32_t)A[i * k + p] * B[j * k + p];
      C[i * n + j] = s;
    }
}
