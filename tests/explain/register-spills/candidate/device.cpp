// More sums at once than there are registers.
#include "hone.h"

typedef float Lanes __attribute__((vector_size(32)));
typedef float LooseLanes __attribute__((vector_size(32), aligned(4)));

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row + 319 < r; row += 320) {
    Lanes sums[40] = {};
    for (int64_t i = 0; i < n; ++i) {
      const float x = X[i];
#pragma GCC unroll 40
      for (int j = 0; j < 40; ++j) {
        sums[j] += x * *(const LooseLanes*)(S + row + 8 * j);
      }
    }
    for (int j = 0; j < 40; ++j) {
      *(LooseLanes*)(Y + row + 8 * j) = sums[j];
    }
  }
}
