#include "hone.h"

extern "C" void matmul(const hone_group* group, const float* A, const float* B, float* C, int64_t k, int64_t n)
{
  int32_t left;
  asm volatile("movd %%xmm15, %0" : "=r"(left));
  float start;
  __builtin_memcpy(&start, &left, sizeof start);
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = start;
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}
