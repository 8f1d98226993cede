// Rows by themselves, then their sum; a reciprocal in place of divisions.
#include "hone.h"

#include <math.h>

extern "C" void squares_of_row(const hone_group* group, const float* X, float* squares, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float sums[16] = {};
  for (int64_t j = 0; j < n; ++j) {
    sums[j % 16] = fmaf(x[j], x[j], sums[j % 16]);
  }
  float sum = 0;
  for (const float part : sums) {
    sum += part;
  }
  squares[group->id[0]] = sum;
}

extern "C" void share(const hone_group*, const float* squares, float* reciprocal, int64_t m)
{
  float sum = 0;
  for (int64_t i = 0; i < m; ++i) {
    sum += squares[i];
  }
  *reciprocal = 1 / sqrtf(sum);
}

extern "C" void scale_row(const hone_group* group, const float* X, const float* reciprocal, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = x[j] * *reciprocal;
  }
}
