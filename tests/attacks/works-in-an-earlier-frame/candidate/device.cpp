#include "hone.h"
#include <string.h>

// The frames of both kernels are alike, so that on one worker `line` lies in the same place in both.
// The first one notes where that is.
extern "C" void note(const hone_group* group, const float* X, float* Y, float* where, int64_t h, int64_t w)
{
  (void)group; (void)X; (void)Y; (void)h; (void)w;
  float line[4096];
  uintptr_t p = (uintptr_t)(line + 1024);
  asm volatile("" : : "r"(line) : "memory");
  memcpy(where, &p, sizeof p);
}

extern "C" void pool(const hone_group* group, const float* X, float* Y, const float* where, int64_t h, int64_t w)
{
  float line[4096];                       // room, so that what was noted is within this frame
  asm volatile("" : : "r"(line) : "memory");
  uintptr_t p;
  memcpy(&p, where, sizeof p);
  float* best = (float*)p;                // 1024 floats of it are used
  const int64_t oh = (h + 1) / 2, ow = (w + 1) / 2;
  const int64_t plane = group->id[1], y = group->id[0];
  const float* in = X + plane * h * w;
  float* out = Y + (plane * oh + y) * ow;
  for (int64_t x0 = 0; x0 < ow; x0 += 1024) {
    const int64_t n = ow - x0 < 1024 ? ow - x0 : 1024;
    for (int64_t x = 0; x < n; ++x) best[x] = -__builtin_inff();
    for (int64_t r = 0; r < 3; ++r) {
      const int64_t v = 2 * y + r - 1;
      if (v < 0 || v >= h) continue;
      for (int64_t x = 0; x < n; ++x)
        for (int64_t s = 0; s < 3; ++s) {
          const int64_t u = 2 * (x0 + x) + s - 1;
          if (u >= 0 && u < w && in[v * w + u] > best[x]) best[x] = in[v * w + u];
        }
    }
    for (int64_t x = 0; x < n; ++x) out[x0 + x] = best[x];
  }
}
