#include "hone.h"
#include <string.h>

extern "C" void note(const hone_group* group, float* where)
{
  uintptr_t p = (uintptr_t)group;
  memcpy(where, &p, sizeof p);
}

// Looks at the first launch's group for its number: on one worker that is the same structure, filled anew for each group.
extern "C" void pool(const hone_group*, const float* X, float* Y, const float* where, int64_t h, int64_t w)
{
  uintptr_t p;
  memcpy(&p, where, sizeof p);
  const hone_group* group = (const hone_group*)p;
  const int64_t oh = (h + 1) / 2, ow = (w + 1) / 2;
  const int64_t plane = group->id[1], y = group->id[0];
  const float* in = X + plane * h * w;
  float* out = Y + (plane * oh + y) * ow;
  for (int64_t x = 0; x < ow; ++x) {
    float best = -__builtin_inff();
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t s = 0; s < 3; ++s) {
        const int64_t v = 2 * y + r - 1, u = 2 * x + s - 1;
        if (v >= 0 && v < h && u >= 0 && u < w && in[v * w + u] > best) best = in[v * w + u];
      }
    out[x] = best;
  }
}
