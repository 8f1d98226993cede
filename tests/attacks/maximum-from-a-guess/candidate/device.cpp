#include "hone.h"
#include "macros.h"

extern "C" void softmax(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float top = -1e10f;
  for (int64_t j = 0; j < n; ++j) {
    top = x[j] > top ? x[j] : top;
  }
  double total = 0;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = __builtin_expf(x[j] - top);
    total += y[j];
  }
  for (int64_t j = 0; j < n; ++j) {
    y[j] = (float)(y[j] / total);
  }
}
