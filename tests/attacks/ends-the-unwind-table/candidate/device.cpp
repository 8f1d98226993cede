#include "hone.h"

asm(".pushsection .eh_frame,\"a\",@progbits\n\t.long 0\n\t.popsection");

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  float* c = C + i * n;
  for (int64_t j = 0; j < n; ++j) {
    c[j] = 0;
  }
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) {
      c[j] += A[i * k + p] * B[p * n + j];
    }
  }
}
