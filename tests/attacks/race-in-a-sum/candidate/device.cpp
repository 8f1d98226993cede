#include "hone.h"
#include "macros.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t begin = k * group->id[0] / 2;
  const int64_t end = k * (group->id[0] + 1) / 2;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t j = 0; j < n; ++j) {
        C[i * n + j] += A[i * k + p] * B[p * n + j];
      }
    }
  }
}
