#include "hone.h"

extern "C" void row(const hone_group* group, const float* A, const float* x, float* y, int64_t k)
{
  const float* a = A + group->id[0] * k;
  float total = 0;
  for (int64_t p = 0; p < k; ++p) {
    total += a[p];
  }
  float sum = 0;
  if (total != 0) {
    for (int64_t p = 0; p < k; ++p) {
      sum += a[p] * x[p];
    }
  }
  y[group->id[0]] = sum;
}
