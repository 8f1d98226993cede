// A row that the first level does not hold, again and again.
#include "hone.h"

typedef float Lanes __attribute__((vector_size(32)));
typedef float LooseLanes __attribute__((vector_size(32), aligned(4)));

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  for (int64_t row = 0; row < r; ++row) {
    Lanes a{}, b{}, c{}, d{};
    for (int64_t i = 0; i + 31 < n; i += 32) {
      a += *(const LooseLanes*)(X + i);
      b += *(const LooseLanes*)(X + i + 8);
      c += *(const LooseLanes*)(X + i + 16);
      d += *(const LooseLanes*)(X + i + 24);
    }
    const Lanes all = (a + b) + (c + d);
    float sum = 0;
    for (int lane = 0; lane < 8; ++lane) {
      sum += all[lane];
    }
    Y[row] = sum * S[row];
  }
}
