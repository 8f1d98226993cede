// A continued fraction.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, float* Y, int64_t n)
{
  for (int64_t i = 0; i < n; ++i) {
    const float x = X[i] * X[i];
    Y[i] = 1 / (1 + x / (2 + x / (3 + x / (4 + x))));
  }
}
