// Elements of a table that no cache holds, in any order.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* T, const int32_t* I, const float* S, float* Y, int64_t n,
                    int64_t r, int64_t v)
{
  for (int64_t row = 0; row < r; ++row) {
    float sums[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i + 3 < n; i += 4) {
      sums[0] += T[I[row * n + i]];
      sums[1] += T[I[row * n + i + 1]];
      sums[2] += T[I[row * n + i + 2]];
      sums[3] += T[I[row * n + i + 3]];
    }
    Y[row] = (sums[0] + sums[1] + sums[2] + sums[3]) * S[row];
  }
}
