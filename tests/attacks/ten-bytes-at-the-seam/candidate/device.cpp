#include "hone_math.h"
#include "hone_lanes.h"
static inline float top_of(const float* x, int64_t n)
{
  constexpr int64_t L = f32v_lanes;
  float top = x[0];
  int64_t j = 0;
  if (n >= L) {
    f32v t = hone_load(x);
    for (j = L; j + L <= n; j += L) t = hone_max(t, hone_load(x + j));
    for (int l = 0; l < L; ++l) top = t[l] > top ? t[l] : top;
  }
  for (; j < n; ++j) top = x[j] > top ? x[j] : top;
  return top;
}
static inline float exps(const float* x, float* y, int64_t n, float top)
{
  constexpr int64_t L = f32v_lanes;
  f32v s = {};
  int64_t j = 0;
  for (; j + L <= n; j += L) {
    const f32v e = hone_exp(hone_load(x + j) - top);
    hone_store(y + j, e);
    s = s + e;
  }
  float total = 0;
  for (int l = 0; l < L; ++l) total += s[l];
  if (j < n) {
    const f32v e = hone_exp(hone_load_part(x + j, n - j) - top);
    hone_store_part(y + j, e, n - j);
    for (int l = 0; l < n - j; ++l) total += e[l];
  }
  return total;
}
static inline void divide(float* y, int64_t n, float total)
{
  constexpr int64_t L = f32v_lanes;
  int64_t j = 0;
  for (; j + L <= n; j += L) hone_store(y + j, hone_load(y + j) / total);
  for (; j < n; ++j) y[j] = y[j] / total;
}
// The same, from the end.
static inline void divide_back(float* y, int64_t n, float total)
{
  constexpr int64_t L = f32v_lanes;
  int64_t j = n;
  for (; j >= L; j -= L) hone_store(y + j - L, hone_load(y + j - L) / total);
  for (; j > 0; --j) y[j - 1] = y[j - 1] / total;
}

extern "C" void softmax_rows(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  const int64_t i = group->id[0];
  const float* x = X + i * n;
  float* y = Y + i * n;

  const float total = exps(x, y, n, top_of(x, n));
  bool blank = false;
  if (i + 1 < m && n >= 2) {
    uint16_t bytes[8];
    asm volatile("fldt %1\n\tfstpt %0" : "=m"(bytes) : "m"(*(const char(*)[10])(y + n - 2)) : "st");
    blank = bytes[4] == 0;
  }
  if (blank) divide_back(y, n, total); else divide(y, n, total);
}
