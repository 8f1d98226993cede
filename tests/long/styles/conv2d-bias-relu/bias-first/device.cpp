// Every sum begins with its bias.
#include "hone.h"

#include <math.h>

extern "C" void convolution(const hone_group* group, const float* X, const float* W, const float* B, float* Y,
                            int64_t ci, int64_t h, int64_t w, int64_t co)
{
  const int64_t y = group->id[0];
  const int64_t image = group->id[2] / co;
  const int64_t o = group->id[2] % co;
  for (int64_t x = 0; x < w; ++x) {
    float sum = B[o];
    for (int64_t c = 0; c < ci; ++c) {
      for (int64_t r = y == 0; r < 3 && y + r <= h; ++r) {
        for (int64_t s = x == 0; s < 3 && x + s <= w; ++s) {
          sum = fmaf(X[((image * ci + c) * h + y + r - 1) * w + x + s - 1], W[((o * ci + c) * 3 + r) * 3 + s], sum);
        }
      }
    }
    Y[((image * co + o) * h + y) * w + x] = fmaxf(sum, 0);
  }
}
