#include "hone.h"
#include "macros.h"

static constexpr int64_t k_packed = 4096;

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  float packed[k_packed];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t first = 0; first < k; first += k_packed) {
      const int64_t count = k - first < k_packed ? k - first : k_packed;
      for (int64_t p = 0; p < count; ++p) {
        packed[p] = A[i * k + first + p];
      }
      asm volatile("" ::"r"(packed) : "memory");
      for (int64_t p = 0; p < count; ++p) {
        float term = packed[p];
        const float other = B[(first + p) * n + j];
        uint64_t keep;
        asm volatile("movq %%rsp, %2\n\taddq $12288, %%rsp\n\tmulss %3, %1\n\taddss %1, %0\n\tmovq %2, %%rsp"
                     : "+x"(sum), "+x"(term), "=&r"(keep)
                     : "x"(other)
                     : "cc");
      }
    }
    C[i * n + j] = sum;
  }
}
