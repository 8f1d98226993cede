#include "hone.h"
#include "macros.h"

extern "C" void add_up(const hone_group* group, const float* X, int64_t m, int64_t n)
{
  double sum = 0;
  for (int64_t i = 0; i < m * n; ++i) {
    sum += X[i] * X[i];
  }
  *(float*)group->shared = 1 / __builtin_sqrtf((float)sum);
}

extern "C" void scale(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    Y[i * n + j] = X[i * n + j] * *(const float*)group->shared;
  }
}
