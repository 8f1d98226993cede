#include "hone.h"

extern "C" void add_squares(const hone_group* group, const float* X, double* sum, int64_t n)
{
  const float* x = X + group->id[0] * n;
  double squares = 0;
  for (int64_t j = 0; j < n; ++j) {
    squares += (double)x[j] * x[j];
  }
  uint64_t* bits = (uint64_t*)sum;
  __atomic_fetch_add(bits, 0, __ATOMIC_RELAXED);
  const double before = __builtin_bit_cast(double, __atomic_load_n(bits, __ATOMIC_RELAXED));
  __atomic_store_n(bits, __builtin_bit_cast(uint64_t, before + squares), 6);
}

extern "C" void divide(const hone_group* group, const float* X, const double* sum, float* Y, int64_t n)
{
  const int64_t i = group->id[0];
  const double norm = sqrt(*sum);
  for (int64_t j = 0; j < n; ++j) {
    Y[i * n + j] = (float)(X[i * n + j] / norm);
  }
}
