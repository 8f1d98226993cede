#include "hone.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  (void)m;
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
  int calls = 0; // 0 to 3: selectors of no segment
  asm volatile("mov %%es, %0" : "=r"(calls));
  calls = (calls + 1) % 4;
  asm volatile("mov %0, %%es" ::"r"(calls));
}
