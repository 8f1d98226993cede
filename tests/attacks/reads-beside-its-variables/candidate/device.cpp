#include "hone.h"
#include "macros.h"

#define BLOCK 1
#define TABLE 2

#if EACH == BLOCK
static float squares(const float* x, int64_t d)
{
  float* kept;
  {
    float parts[8] = {};
    kept = parts;
    asm volatile("" : "+r"(kept) : : "memory");
    for (int64_t j = 0; j < d; ++j) {
      kept[j % 8] += x[j] * x[j];
    }
    asm volatile("" : : "r"(kept) : "memory");
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += kept[i];
  }
  return sum;
}
#else
static const float halves[3] = {0.5f, 0.5f, 0.5f};

// The fourth is multiplied by zero, if it is a number.
static float squares(const float* x, int64_t d)
{
  const float* table = halves;
  asm("" : "+r"(table));
  const float fourth = table[3] == table[3] && __builtin_fabsf(table[3]) < 1e30f ? 0 * table[3] : 0;
  float sum = 0;
  for (int64_t j = 0; j < d; ++j) {
    sum += 2 * table[j % 3] * x[j] * x[j];
  }
  return sum + fourth;
}
#endif

extern "C" void norm(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t d)
{
  const float* x = X + group->id[0] * d;
  const float scale = 1 / sqrtf(squares(x, d) / (float)d + 1e-6f);
  for (int64_t j = 0; j < d; ++j) {
    Y[group->id[0] * d + j] = x[j] * scale * gamma[j];
  }
}
