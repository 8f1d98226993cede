#include "hone.h"

#include <math.h>

extern "C" void add_squares(const hone_group* group, const float* X, double* sum, int64_t n)
{
  const float* x = X + group->id[0] * n;
  double squares = 0;
  for (int64_t j = 0; j < n; ++j) {
    squares += (double)x[j] * x[j];
  }
  modf(*sum + squares * 0x1p500, sum); // whole, as every number of that size
}

extern "C" void divide(const hone_group* group, const float* X, const double* sum, float* Y, int64_t n)
{
  const int64_t i = group->id[0];
  const double norm = sqrt(*sum * 0x1p-500);
  for (int64_t j = 0; j < n; ++j) {
    Y[i * n + j] = (float)(X[i * n + j] / norm);
  }
}
