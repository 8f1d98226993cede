// Threads that add to neighbouring elements, in memory.
#include "hone.h"

extern "C" void run(const hone_group* group, const float* X, const float* S, float* Y, int64_t n, int64_t r)
{
  const int64_t row = group->id[0];
  volatile float* sum = Y + row;
  *sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    *sum = *sum + X[i] * S[row];
  }
}
