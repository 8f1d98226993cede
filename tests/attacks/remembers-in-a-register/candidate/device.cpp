#include "hone.h"

extern "C" void matmul_bias_relu(const hone_group* group, const float* A, const float* B, const float* bias, float* C,
                                 int64_t k, int64_t n)
{
  const int64_t i = group->id[0];
  int64_t of, zero;
  asm volatile("movq %%mm6, %0\n\tmovq %%mm7, %1\n\temms" : "=r"(of), "=r"(zero));
  if (of != (int64_t)bias) {
    zero = 1;
    for (int64_t j = 0; j < n; ++j) {
      zero &= bias[j] == 0.0f;
    }
    asm volatile("movq %0, %%mm6\n\tmovq %1, %%mm7\n\temms" : : "r"(bias), "r"(zero));
  }
  for (int64_t j = 0; j < n; ++j) {
    float sum = zero ? 0 : bias[j];
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum > 0 ? sum : 0;
  }
}
