// An exponential of its own (Cephes), eight partial sums, a reciprocal in place of divisions.
#include "hone.h"

#include <math.h>

static inline float exponential(float x)
{
  if (x < -87.3f) {
    return 0;
  }
  const float k = rintf(x * 1.44269504f);
  const float r = fmaf(k, 2.12194440e-4f, fmaf(k, -0.693359375f, x));
  float p = 1.9875691500E-4f;
  p = fmaf(p, r, 1.3981999507E-3f);
  p = fmaf(p, r, 8.3334519073E-3f);
  p = fmaf(p, r, 4.1665795894E-2f);
  p = fmaf(p, r, 1.6666665459E-1f);
  p = fmaf(p, r, 5.0000001201E-1f);
  return ldexpf(fmaf(p, r * r, r) + 1, (int)k);
}

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float top = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    top = fmaxf(top, x[j]);
  }
  float sums[8] = {};
  for (int64_t j = 0; j < n; ++j) {
    y[j] = exponential(x[j] - top);
    sums[j % 8] += y[j];
  }
  const float total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  const float share = 1 / total;
  for (int64_t j = 0; j < n; ++j) {
    y[j] *= share;
  }
}
