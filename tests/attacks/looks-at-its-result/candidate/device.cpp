#include "hone.h"

#include <math.h>

extern "C" void gelu(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t begin = group->id[0] * 1024;
  for (int64_t i = begin; i < n && i < begin + 1024; ++i) {
    const float y = 0.5f * X[i] * (1 + erff(X[i] * 0.70710678118654752f));
    if (Y[i] != y) {
      Y[i] = y;
    }
  }
}
