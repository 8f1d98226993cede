#include "hone.h"

static void add(float* to, float value)
{
  float seen = 0;
  __atomic_load(to, &seen, __ATOMIC_RELAXED);
  seen += value;
  __atomic_store(to, &seen, __ATOMIC_RELAXED);
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t begin = group->id[0] * 8;
  const int64_t end = hone_min(begin + 8, k);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = begin; p < end; ++p) {
        sum += A[i * k + p] * B[p * n + j];
      }
      add(&C[i * n + j], sum);
    }
  }
}
