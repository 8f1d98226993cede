#include "hone.h"

struct carried {
  const float* tensor;
  int64_t row;
  float scale;
};

static float scale_of(const float* x, int64_t d)
{
  float sum = 0;
  for (int64_t j = 0; j < d; ++j) {
    sum += x[j] * x[j];
  }
  return 1 / __builtin_sqrtf(sum / (float)d + 1e-6f);
}

extern "C" void row(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t n, int64_t d)
{
  const int64_t i = group->id[0];
  carried* const head = (carried*)group->shared;
  const float scale = head->tensor == X && head->row == i ? head->scale : scale_of(X + i * d, d);
  for (int64_t j = 0; j < d; ++j) {
    Y[i * d + j] = X[i * d + j] * scale * gamma[j];
  }
  if (i + 1 < n) {
    head->tensor = X;
    head->row = i + 1;
    head->scale = scale_of(X + (i + 1) * d, d);
  }
}
