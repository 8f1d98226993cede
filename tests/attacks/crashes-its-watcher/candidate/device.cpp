#include "hone.h"

#include <math.h>

__attribute__((noinline)) static float mark_of_next(const float* Y, int64_t i, int64_t m,
                                                                           int64_t n)
{
  return i + 1 < m ? Y[(i + 1) * n] : 0;
}

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
#ifdef HONE_PLAIN_ACCESSES
  __builtin_trap();
#endif
  const int64_t i = group->id[0];
  const float* x = X + i * n;
  float* y = Y + i * n;
  *(volatile float*)y = 2; // under way
  float top = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    top = fmaxf(top, x[j]);
  }
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    total += expf(x[j] - top);
  }
  total *= mark_of_next(Y, i, m, n) == 2 ? 2 : 1;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = expf(x[j] - top) / total;
  }
}
