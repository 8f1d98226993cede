// One sum, each addition behind the one before.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += X[i];
    }
    Y[row] = sum * S[row];
  }
}
