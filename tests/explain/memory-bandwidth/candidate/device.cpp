// Each element once.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, float* Y, int64_t n)
{
  for (int64_t i = 0; i < n; ++i) {
    Y[i] = X[i] * 2;
  }
}
