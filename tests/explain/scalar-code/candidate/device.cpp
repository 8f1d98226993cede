// A polynomial of one element at a time.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, float* Y, int64_t n)
{
  for (int64_t i = 0; i < n; ++i) {
    float x = X[i];
    asm("" : "+x"(x)); // keeps the compiler from taking several elements at once
    Y[i] = ((((((((((((0.5f * x + 0.25f) * x + 0.26f) * x + 0.27f) * x + 0.28f) * x + 0.29f) * x + 0.30f) * x + 0.31f) * x + 0.32f) * x + 0.33f) * x + 0.34f) * x + 0.35f) * x + 0.36f);
  }
}
