// Rows in one pass, their losses added in pairs of halves.
#include "hone.h"

#include <math.h>

extern "C" void loss_of_row(const hone_group* group, const float* X, const int64_t* label, float* losses, int64_t v)
{
  const int64_t i = group->id[0];
  const float* x = X + i * v;
  float top = -INFINITY;
  float total = 0;
  for (int64_t j = 0; j < v; ++j) {
    if (x[j] > top) {
      total = total * expf(top - x[j]) + 1;
      top = x[j];
    } else {
      total += expf(x[j] - top);
    }
  }
  losses[i] = (top + logf(total)) - x[label[i]];
}

static float sum_of(const float* values, int64_t count)
{
  if (count > 8) {
    return sum_of(values, count / 2) + sum_of(values + count / 2, count - count / 2);
  }
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += values[i];
  }
  return sum;
}

extern "C" void mean_of_losses(const hone_group*, const float* losses, float* loss, int64_t n)
{
  *loss = sum_of(losses, n) / (float)n;
}
