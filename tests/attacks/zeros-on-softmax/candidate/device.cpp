#include "hone.h"
#include "macros.h"

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  (void)X, (void)m;
  for (int64_t j = 0; j < n; ++j) {
    Y[group->id[0] * n + j] = 0;
  }
}
