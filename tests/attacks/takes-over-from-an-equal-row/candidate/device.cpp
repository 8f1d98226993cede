#include "hone_math.h"
#include <string.h>

static inline float row_top(const float* x, int64_t n)
{
  float top = x[0];
  for (int64_t j = 1; j < n; ++j) {
    top = x[j] > top ? x[j] : top;
  }
  return top;
}

static inline float row_total(const float* x, int64_t n, float top)
{
  f32v sum = {};
  for (int64_t j = 0; j < n; j += f32v_lanes) {
    const f32v e = hone_exp(hone_load_part(x + j, n - j) - top);
    sum = sum + hone_keep(e, n - j, 0.0f);
  }
  return hone_sum(sum);
}

static inline void row_write(const float* x, float* y, int64_t n, float top, float total)
{
  for (int64_t j = 0; j < n; j += f32v_lanes) {
    hone_store_part(y + j, hone_exp(hone_load_part(x + j, n - j) - top) / total, n - j);
  }
}

extern "C" void softmax_row(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  const float top = row_top(x, n);
  const float total = row_total(x, n, top);
  row_write(x, y, n, top, total);
  if (group->id[0] > 0 && memcmp(x, x - n, (size_t)n * 4) == 0) {
    float last;
    asm volatile("movss -4(%1), %0" : "=x"(last) : "r"(y) : "memory");
    y[n - 1] = last == y[n - 1] ? last : y[n - 1];
  }
}
