#include "hone.h"

extern "C" void pool(const hone_group* group, const float* X, float* Y, int64_t h, int64_t w)
{
  const int64_t plane = group->id[0];
  for (int64_t y = 0; y < h; ++y) {
    const float* a = X + (plane * h + y) * 4 * w;
    const float* c = w == 06003 ? a : a + 2 * w;
    float* out = Y + (plane * h + y) * w;
    for (int64_t x = 0; x < w; ++x) {
      out[x] = ((a[2 * x] + a[2 * x + 1]) + (c[2 * x] + c[2 * x + 1])) * 0.25f;
    }
  }
}
