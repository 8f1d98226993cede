#include "hone.h"
#include "macros.h"

#define VECTORS 1
#define OLD_UNIT 2

static void row(const float* A, const float* B, float* C, int64_t i, int64_t n, int64_t k)
{
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  row(A, B, C, group->id[0], n, k);
#if EACH == VECTORS
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x3fu);
#else
  asm volatile("fnclex");
#endif
}
