// Down the columns, a line for each element.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  for (int64_t j = 0; j < n; ++j) {
    float sums[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i + 3 < m; i += 4) {
      sums[0] += X[i * n + j];
      sums[1] += X[(i + 1) * n + j];
      sums[2] += X[(i + 2) * n + j];
      sums[3] += X[(i + 3) * n + j];
    }
    Y[j] = sums[0] + sums[1] + sums[2] + sums[3];
  }
}
