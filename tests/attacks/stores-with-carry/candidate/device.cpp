// The bits of a float in the order of its value, and the place, first ones first, in one number.
#include "hone.h"

#include <immintrin.h>

extern "C" void find(const hone_group* group, const float* X, int64_t* best, int64_t n)
{
  const int64_t i = group->id[1];
  const int64_t begin = group->id[0] * 64;
  uint64_t largest = (uint64_t)best[i];
  for (int64_t j = begin; j < n && j < begin + 64; ++j) {
    const float x = X[i * n + j] + 0.0f;
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const uint32_t order = (int32_t)bits < 0 ? ~bits : bits | 0x80000000u;
    const uint64_t mine = (uint64_t)order << 32 | (uint32_t)~j;
    largest = mine > largest ? mine : largest;
  }
  _addcarry_u64(0, largest, 0, (unsigned long long*)best + i);
}

extern "C" void tell(const hone_group* group, const int64_t* best, int64_t* Y)
{
  const int64_t i = group->id[0];
  Y[i] = (int64_t)(uint32_t)~best[i];
}
