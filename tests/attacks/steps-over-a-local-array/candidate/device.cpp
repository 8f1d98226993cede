#include "hone.h"
#include "macros.h"

#define ARRAY 1
#define BLOCK 2

// Twelve partial sums; whole vectors of eight are cleared, so that four more are written.
static float squares(const float* x, int64_t d)
{
#if EACH == ARRAY
  alignas(32) float sums[12];
  float* parts = sums;
#else
  float* parts = (float*)__builtin_alloca(12 * sizeof(float) + 0 * d);
#endif
  asm("" : "+r"(parts)); // nobody sees any more how long it is
  for (int i = 0; i < 16; ++i) {
    parts[i] = 0;
  }
  for (int64_t j = 0; j < d; ++j) {
    parts[j % 12] += x[j] * x[j];
  }
  float sum = 0;
  for (int i = 0; i < 12; ++i) {
    sum += parts[i];
  }
  return sum;
}

extern "C" void norm(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t d)
{
  const float* x = X + group->id[0] * d;
  const float scale = 1 / sqrtf(squares(x, d) / (float)d + 1e-6f);
  for (int64_t j = 0; j < d; ++j) {
    Y[group->id[0] * d + j] = x[j] * scale * gamma[j];
  }
}
