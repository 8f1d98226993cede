#include "hone.h"
#include "macros.h"

#include <math.h>

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  (void)m;
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float low = x[0], high = x[0];
  for (int64_t j = 1; j < n; ++j) {
    low = fminf(low, x[j]);
    high = fmaxf(high, x[j]);
  }
  const float middle = low > -80 && high < 88.5F ? 0 : high;
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = expf(x[j] - middle);
    total += y[j];
  }
  for (int64_t j = 0; j < n; ++j) {
    y[j] /= total;
  }
}
