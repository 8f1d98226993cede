#include "hone.h"

// The usual map that makes the order of bits the order of numbers.
static inline int32_t key(float value)
{
  int32_t bits;
  memcpy(&bits, &value, 4);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

extern "C" void first_best(const hone_group* group, const float* X, int64_t* Y, int64_t m, int64_t n)
{
  const int64_t i = group->id[0];
  const float* x = X + i * n;
  int64_t best = 0;
  if (n < 64) {
    for (int64_t j = 1; j < n; ++j) {
      best = x[j] > x[best] ? j : best;
    }
  } else {
    int32_t top = key(x[0]);
    for (int64_t j = 1; j < n; ++j) {
      const int32_t v = key(x[j]);
      if (v > top) {
        top = v;
        best = j;
      }
    }
  }
  Y[i] = best;
}
