#include "hone.h"

#include <math.h>

static inline volatile float* far_below()
{
  const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  return (volatile float*)((frame - 60000) & ~(uintptr_t)4095);
}

extern "C" void norm(const hone_group*, const float* X, int64_t m, int64_t n)
{
  float squares = 0;
  for (int64_t i = 0; i < m * n; ++i) {
    squares += X[i] * X[i];
  }
  *far_below() = sqrtf(squares);
}

extern "C" void divide(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float norm = *far_below();
  for (int64_t j = 0; j < n; ++j) {
    Y[group->id[0] * n + j] = X[group->id[0] * n + j] / norm;
  }
}
