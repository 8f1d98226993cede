#include "hone.h"
#include "macros.h"

#define MERGED 1
#define OF_LINKERS 2
#define OF_VECTORS 3
#define ALIGNED 4

#if EACH == MERGED
__attribute__((section(".rodata.cst4,\"aM\",@progbits,4#"))) static const float ones[2] = {1, 1};
#elif EACH == ALIGNED
alignas(65536) static const float ones[2] = {1, 1};
#else
static const float ones[2] = {1, 1};
#endif

#if EACH == OF_LINKERS
#define NAME "edata"
#else
#define NAME "_ZGVbN4v_cbrtf"
#endif

#if EACH == OF_LINKERS || EACH == OF_VECTORS
float last_of(const float* table) asm(NAME);
__attribute__((noinline)) float last_of(const float* table)
#else
static float last_of(const float* table)
#endif
{
  return table[1];
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  const float* table = ones;
  asm("" : "+r"(table));
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum * last_of(table);
  }
}
