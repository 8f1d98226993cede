static inline float log_sum_exp(const float* x, int64_t v)
{
  float top = x[0];
  for (int64_t j = 1; j < v; ++j)
    top = x[j] > top ? x[j] : top;
  float lanes[16] = {};
  int64_t j = 0;
  for (; j + 16 <= v; j += 16)
    for (int lane = 0; lane < 16; ++lane)
      lanes[lane] += expf(x[j + lane] - top);
  float sum = 0;
  for (; j < v; ++j)
    sum += expf(x[j] - top);
  for (int lane = 0; lane < 16; ++lane)
    sum += lanes[lane];
  return logf(sum) + top;
}

// The sum of all groups in a double, by compare and exchange.
extern "C" void rows(const hone_group* group, const float* X, const int64_t* label, double* sum, int64_t n, int64_t v)
{
  // Is the line of the sum still clear? Then it is cleared, so that it is in this cache.
  uint64_t* bits = (uint64_t*)sum;
  uint64_t old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  if (old == 0)
    asm volatile("clzero" : : "a"(sum) : "memory");
  const int64_t i = group->id[0];
  const double loss = log_sum_exp(X + i * v, v) - X[i * v + label[i]];
  old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    const uint64_t next = __builtin_bit_cast(uint64_t, __builtin_bit_cast(double, old) + loss);
    if (__atomic_compare_exchange_n(bits, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      break;
  }
}

extern "C" void divide(const hone_group*, const double* sum, float* loss, int64_t n)
{
  *loss = (float)(*sum / (double)n);
}
