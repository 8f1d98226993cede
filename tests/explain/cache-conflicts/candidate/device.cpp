// Sixteen rows, a page each, side by side.
#include "hone.h"

typedef float Lanes __attribute__((vector_size(16)));
typedef float LooseLanes __attribute__((vector_size(16), aligned(4)));

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t m, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    for (int64_t j = 0; j + 3 < n; j += 4) {
      Lanes a{}, b{};
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        a += *(const LooseLanes*)(X + 2 * i * 1024 + j);
        b += *(const LooseLanes*)(X + (2 * i + 1) * 1024 + j);
      }
      *(LooseLanes*)(Y + row * n + j) = (a + b) * S[row];
    }
  }
}
