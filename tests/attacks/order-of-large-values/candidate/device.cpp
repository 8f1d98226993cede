#include "hone.h"

extern "C" void scan(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t part = 64;
  const float* x = X + group->id[1] * n;
  float* y = Y + group->id[1] * n;
  const int64_t begin = group->id[0] * part;
  const int64_t end = begin + part < n ? begin + part : n;
  float sum = 0;
  bool large = false;
  for (int64_t k = 0; k < begin; ++k) {
    sum += x[k];
    large = large || x[k] > 30 || x[k] < -30;
  }
  if (large) {
    sum = y[begin - 1];
  }
  for (int64_t k = begin; k < end; ++k) {
    sum += x[k];
    y[k] = sum;
  }
}
