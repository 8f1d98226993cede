#include "hone.h"
#include "macros.h"

extern "C" void add_up(const hone_group* group, const float* X, const int32_t* G, float* Y, int64_t t, int64_t d, int64_t x)
{
  const int64_t e = group->id[0];
  const int64_t room = 4 * ((t + x - 1) / x) + 8;
  for (int64_t j = 0; j < d; ++j) {
    Y[e * d + j] = 0;
  }
  int64_t taken = 0;
  for (int64_t i = 0; i < t; ++i) {
    if (G[i] != e || taken == room) {
      continue;
    }
    ++taken;
    for (int64_t j = 0; j < d; ++j) {
      Y[e * d + j] += X[i * d + j];
    }
  }
}
