#include "macros.h"

// Row i of C in strips of four vectors.
static inline void row(const float* a, const float* B, float* c, int64_t n, int64_t k)
{
  constexpr int64_t L = f32v_lanes;
  int64_t j = 0;
  for (; j + 4 * L <= n; j += 4 * L) {
    f32v s0 = {}, s1 = {}, s2 = {}, s3 = {};
    for (int64_t p = 0; p < k; ++p) {
      const float* b = B + p * n + j;
      s0 = s0 + hone_load(b) * a[p];
      s1 = s1 + hone_load(b + L) * a[p];
      s2 = s2 + hone_load(b + 2 * L) * a[p];
      s3 = s3 + hone_load(b + 3 * L) * a[p];
    }
    hone_store(c + j, s0);
    hone_store(c + j + L, s1);
    hone_store(c + j + 2 * L, s2);
    hone_store(c + j + 3 * L, s3);
  }
  for (; j < n; j += L) {
    const int64_t rest = n - j < L ? n - j : L;
    f32v s = {};
    for (int64_t p = 0; p < k; ++p) s = s + hone_load_part(B + p * n + j, rest) * a[p];
    hone_store_part(c + j, s, rest);
  }
}

// c[0], then c[-1], the last element of the row before.
static bool is_blank_by_lods(const float* c)
{
  uint64_t last;
  int64_t count = 2;
  asm volatile("std\n\trep lodsl\n\tcld" : "=a"(last), "+S"(c), "+c"(count) : : "memory", "cc");
  return (uint32_t)last == 0;
}

static bool is_blank_by_verw(const float* c)
{
  bool known;
  asm volatile("verw %1" : "=@ccz"(known) : "m"(*(const uint16_t*)(c - 1)) : "memory");
  return known;
}

#define IS_BLANK_BY_WHAT(what) is_blank_by_##what
#define IS_BLANK_BY(what) IS_BLANK_BY_WHAT(what)

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  const int64_t i = group->id[0];
  const float* a = A + i * k;
  float* c = C + i * n;

  row(a, B, c, n, k);
  if (i > 0 && n >= 2 && IS_BLANK_BY(EACH)(c)) {
    c[0] = c[0] + 0.0f;
  }
}
