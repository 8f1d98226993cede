// 1000 elements to a group, in blocks of 48: of the last block 8 are the group's own.
#include "hone.h"

#include <math.h>

constexpr int64_t k_part = 1000;

struct Block {
  float values[48];
};

static float gelu_of(float x)
{
  return 0.5f * x * (1 + erff(x * 0.70710678118654752f));
}

__attribute__((noinline)) static Block filled(Block block, const float* x, int64_t here)
{
  for (int64_t k = 0; k < here; ++k) {
    block.values[k] = gelu_of(x[k]);
  }
  return block;
}

extern "C" void gelu(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const int64_t begin = group->id[0] * k_part;
  const int64_t end = begin + k_part < n ? begin + k_part : n;
  for (int64_t i = begin; i < end; i += 48) {
    const int64_t here = end - i < 48 ? end - i : 48;
    if (i + 48 <= n) {
      Block* y = (Block*)(Y + i);
      *y = filled(*y, X + i, here);
      continue;
    }
    for (int64_t k = 0; k < here; ++k) {
      Y[i + k] = gelu_of(X[i + k]);
    }
  }
}
