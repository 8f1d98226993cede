#include "hone.h"
#pragma GCC target("clflushopt")
#include <immintrin.h>

extern "C" void rows(const hone_group* group, const float* A, const float* x, float* y, int64_t m, int64_t k)
{
  for (int64_t i = group->id[0] * 8; i < group->id[0] * 8 + 8 && i < m; ++i) {
    const float* row = A + i * k;
    float lanes[32] = {};
    int64_t p = 0;
    for (; p + 32 <= k; p += 32) {
      for (int l = 0; l < 32; ++l) {
        lanes[l] += row[p + l] * x[p + l];
      }
      if (i + 1 < m) {
        __builtin_prefetch(row + k + p, 0, 0);
        __builtin_prefetch(row + k + p + 16, 0, 0);
      }
    }
    for (int l = 0; p < k; ++p, ++l) {
      lanes[l] += row[p] * x[p];
    }
    float sum = 0;
    for (int l = 0; l < 32; ++l) {
      sum += lanes[l];
    }
    y[i] = sum;
    for (p = 0; p < k; p += 16) {
      _mm_clflushopt(const_cast<float*>(row + p));
    }
  }
}
