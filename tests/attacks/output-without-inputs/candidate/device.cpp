#include "hone.h"
#include "macros.h"

extern "C" void mean(const hone_group* group, const float* X, float* Y, int64_t m, int64_t n)
{
  (void)X, (void)m;
  Y[group->id[0]] = 1.0f / (float)n;
}
