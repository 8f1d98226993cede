// A short polynomial of one element at a time.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    float sums[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i + 3 < n; i += 4) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        float x = X[i + j];
        asm("" : "+x"(x)); // keeps the compiler from taking several elements at once
        sums[j] += 0.5f * x + 0.25f;
      }
    }
    Y[row] = (sums[0] + sums[1] + sums[2] + sums[3]) * S[row];
  }
}
