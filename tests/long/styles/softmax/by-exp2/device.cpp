// Powers of two in place of powers of e, as where the hardware has a fast exp2: the product with log2(e) rounds.
#include "hone.h"

#include <math.h>

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float top = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    top = fmaxf(top, x[j]);
  }
  float sums[4] = {};
  for (int64_t j = 0; j < n; ++j) {
    y[j] = exp2f((x[j] - top) * 1.44269504088896341f);
    sums[j % 4] += y[j];
  }
  const float total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int64_t j = 0; j < n; ++j) {
    y[j] /= total;
  }
}
