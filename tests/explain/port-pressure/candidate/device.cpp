// Short polynomials of sixteen elements at a time.
#include "hone.h"

typedef float Lanes __attribute__((vector_size(32)));
typedef float LooseLanes __attribute__((vector_size(32), aligned(4)));

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    Lanes sums[2] = {};
    for (int64_t i = 0; i + 15 < n; i += 16) {
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        const Lanes x = *(const LooseLanes*)(X + i + 8 * j);
        sums[j] += ((0.5f * x + 0.25f) * x + 0.75f) * x + 0.125f;
      }
    }
    const Lanes all = sums[0] + sums[1];
    float sum = 0;
    for (int lane = 0; lane < 8; ++lane) {
      sum += all[lane];
    }
    Y[row] = sum * S[row];
  }
}
