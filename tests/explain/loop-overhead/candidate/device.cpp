// Elements in the order of their reversed numbers: much counting for each addition.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    float sum = 0;
    for (uint32_t i = 0; i < 1024; ++i) {
      uint32_t at = ((i & 0x55555555) << 1) | ((i >> 1) & 0x55555555);
      at = ((at & 0x33333333) << 2) | ((at >> 2) & 0x33333333);
      at = ((at & 0x0f0f0f0f) << 4) | ((at >> 4) & 0x0f0f0f0f);
      at = ((at & 0xff) << 8) | ((at >> 8) & 0xff);
      at >>= 6;
      asm("" : "+r"(at)); // keeps the compiler from taking several elements at once
      sum += X[at];
    }
    Y[row] = sum * S[row];
  }
}
