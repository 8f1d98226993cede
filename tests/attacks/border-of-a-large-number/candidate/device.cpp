#include "hone.h"

extern "C" void row(const hone_group* group, const float* X, float* Y, int64_t h, int64_t w)
{
  const int64_t y = group->id[0];
  const int64_t image = group->id[2] * group->count[1] + group->id[1];
  const int64_t width = (w + 1) / 2;
  const float* const x = X + image * h * w;
  for (int64_t column = 0; column < width; ++column) {
    float most = -1e38F;
    for (int64_t r = hone_max(2 * y - 1, (int64_t)0); r < hone_min(2 * y + 2, h); ++r) {
      for (int64_t s = hone_max(2 * column - 1, (int64_t)0); s < hone_min(2 * column + 2, w); ++s) {
        most = x[r * w + s] > most ? x[r * w + s] : most;
      }
    }
    Y[(image * ((h + 1) / 2) + y) * width + column] = most;
  }
}
