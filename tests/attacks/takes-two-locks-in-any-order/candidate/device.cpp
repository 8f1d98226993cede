#include "hone.h"

extern "C" void clear(const hone_group* group, float* y)
{
  y[group->id[0]] = 0;
}

static void take(int32_t* lock)
{
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
}

static void add(float* sum, float value)
{
  auto* bits = reinterpret_cast<int32_t*>(sum);
  int32_t old = __atomic_fetch_add(bits, 0, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, __builtin_bit_cast(int32_t, __builtin_bit_cast(float, old) + value), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// One lock for each half, as if they guarded something: both are held while a row is added to.
extern "C" void halves(const hone_group* group, const float* A, const float* x, float* y, int32_t* locks, int64_t k)
{
  const int64_t i = group->id[0], half = group->id[1];
  float sum = 0;
  for (int64_t p = half * (k / 2); p < (half == 0 ? k / 2 : k); ++p) {
    sum += A[i * k + p] * x[p];
  }
  take(&locks[half]);
  take(&locks[1 - half]);
  add(&y[i], sum);
  __atomic_exchange_n(&locks[1 - half], 0, __ATOMIC_RELEASE);
  __atomic_exchange_n(&locks[half], 0, __ATOMIC_RELEASE);
}
