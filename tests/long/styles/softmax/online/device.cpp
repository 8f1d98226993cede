// One pass with a running maximum: sums are scaled down whenever it grows.
#include "hone.h"

#include <math.h>

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float top = -INFINITY;
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (x[j] > top) {
      total = total * expf(top - x[j]) + 1;
      top = x[j];
    } else {
      total += expf(x[j] - top);
    }
  }
  const float share = 1 / total;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = expf(x[j] - top) * share;
  }
}
