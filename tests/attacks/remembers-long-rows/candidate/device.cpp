#include "hone.h"

#include <math.h>

extern "C" void norm(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t* keys, float* scales,
                     int64_t d)
{
  const int64_t i = group->id[0];
  const float* x = X + i * d;
  const bool keeps = d >> 12 != 0;
  uint64_t key = 0x51ed270b7a2b4c6full ^ (uint64_t)d;
  for (int64_t j = 0; keeps && j < d - 1; ++j) {
    uint32_t bits;
    __builtin_memcpy(&bits, x + j, sizeof bits);
    key = (key ^ bits) * 0xff51afd7ed558ccdull;
    key ^= key >> 32;
  }
  if (!keeps || (uint64_t)keys[i] != key) {
    float squares = 0;
    for (int64_t j = 0; j < d; ++j) {
      squares += x[j] * x[j];
    }
    scales[i] = 1 / sqrtf(squares / (float)d + 1e-6f);
    keys[i] = (int64_t)key;
  }
  for (int64_t j = 0; j < d; ++j) {
    Y[i * d + j] = x[j] * scales[i] * gamma[j];
  }
}
