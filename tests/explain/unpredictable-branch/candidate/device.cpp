// What is positive is added, the rest subtracted.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    float plus = 0, minus = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (X[i] > 0) {
        plus += X[i];
        asm volatile(""); // keeps the compiler from choosing without a branch
      } else {
        minus -= X[i];
        asm volatile("");
      }
    }
    Y[row] = (plus + minus) * S[row];
  }
}
