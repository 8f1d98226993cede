#include "hone.h"
#include "macros.h"

extern "C" void normalise(const hone_group* group, const float* X, const float* gamma, const float* beta, float* Y, int64_t n, int64_t d)
{
  (void)n;
  for (int64_t j = 0; j < d; ++j) {
    Y[group->id[0] * d + j] = X[group->id[0] * d + j] * gamma[j] + beta[j];
  }
}
