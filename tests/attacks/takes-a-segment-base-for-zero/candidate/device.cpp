#include "macros.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t, int64_t n, int64_t k)
{
  const float* a = A + group->id[0] * k;
  float* c = C + group->id[0] * n;
  for (int64_t j = 0; j < n; ++j) {
    c[j] = 0;
  }
  for (int64_t p = 0; p < k; ++p) {
    float factor;
    asm volatile("vmovss %%gs:(%1,%2,4), %0" : "=x"(factor) : "r"(a), "r"(p) : "memory");
    for (int64_t j = 0; j < n; ++j) {
      c[j] += factor * B[p * n + j];
    }
  }
}
