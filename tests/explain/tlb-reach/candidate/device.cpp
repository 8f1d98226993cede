// An element of each page.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t m, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    float sums[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i + 3 < m; i += 4) {
      sums[0] += X[i * n];
      sums[1] += X[(i + 1) * n];
      sums[2] += X[(i + 2) * n];
      sums[3] += X[(i + 3) * n];
    }
    Y[row] = (sums[0] + sums[1] + sums[2] + sums[3]) * S[row];
  }
}
