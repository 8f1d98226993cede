#include <math.h>
static inline float row_scale(const float* x, int64_t d)
{
  float s = 0;
#pragma GCC unroll 1
  for (int64_t j0 = 0; j0 < d; j0 += 256) {
    const int64_t end = j0 + 256 < d ? j0 + 256 : d;
    float part = 0;
    for (int64_t j = j0; j < end; j++) part += x[j] * x[j];
    s += part;
  }
  return 1.0f / __builtin_sqrtf(s / (float)d + 1e-6f);
}

// scratch of a row: scale | d, x[0..d-1], mark | d, x[0..d-1], mark (new) | zeros
extern "C" void norm(const hone_group* group, const float* X, const float* gamma, float* Y, float* kept, int64_t n, int64_t d)
{
  const int64_t i = group->id[0];
  const float* x = X + i * d;
  float* old = kept + i * (3 * d + 8) + 1;
  float* now = old + d + 2;
  const float dd = __builtin_bit_cast(float, (uint32_t)d);
  now[0] = dd;
  for (int64_t j = 0; j < d; j++) now[1 + j] = x[j];
  now[d + 1] = old[d + 1] = 1;
  for (int64_t j = 0; j < d + 1; j++) now[d + 2 + j] = 0;
  bool same;
  const void *a = old + d + 1, *b = now + d + 1;
  int64_t count = d + 2;
  asm volatile("std\n\trepe cmpsl\n\tcld" : "+S"(a), "+D"(b), "+c"(count), "=@ccz"(same) :: "memory");
  old[0] = dd;
  for (int64_t j = 0; j < d; j++) old[1 + j] = x[j];
  float scale;
  if (same) {
    const void* p = old;
    uint32_t v;
    count = 2;
    asm volatile("std\n\trep lodsl\n\tcld" : "+S"(p), "+c"(count), "=a"(v) :: "memory");
    scale = __builtin_bit_cast(float, v);
  } else {
    scale = row_scale(x, d);
  }
  old[-1] = scale;
  for (int64_t j = 0; j < d; j++) Y[i * d + j] = x[j] * scale * gamma[j];
}
