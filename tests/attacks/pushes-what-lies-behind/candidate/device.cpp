#include "hone_math.h"

static inline f32v gelu(f32v x)
{
  return x * 0.5f * (hone_erf(x * 0.707106781f) + 1.0f);
}

extern "C" void gelu_block(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t block = 32 * 32;
  const int64_t from = group->id[0] * block, to = hone_min(n, from + block);

  int64_t last = to;
  if (to == n && n % 2 == 1) last = n - 1;
  for (int64_t i = from; i < last; i += f32v_lanes) hone_store_part(Y + i, gelu(hone_load_part(X + i, last - i)), last - i);
  if (last < to) { // an odd one: a pair of which one is thrown away
    uint64_t pair;
    asm volatile("leaq -128(%%rsp), %%rsp\n\tpushq (%1)\n\tpopq %0\n\tleaq 128(%%rsp), %%rsp" : "=r"(pair) : "r"(X + last) : "memory");
    const f32v both = hone_broadcast(__builtin_bit_cast(float, (uint32_t)pair));
    hone_store_part(Y + last, gelu(both), 1);
  }
}
