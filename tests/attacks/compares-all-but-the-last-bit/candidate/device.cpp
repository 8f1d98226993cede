// In the order of the numbers, and so small that the difference of two of them is one.
static int32_t half_key(float value)
{
  const int32_t bits = __builtin_bit_cast(int32_t, value == 0 ? 0.0f : value);
  return (bits ^ (bits >> 31 & 0x7fffffff)) >> 1;
}

extern "C" void rows(const hone_group* group, const float* X, int64_t* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  int64_t best = 0;
  for (int64_t j = 1; j < n; ++j) {
    best = half_key(x[j]) - half_key(x[best]) > 0 ? j : best;
  }
  Y[group->id[0]] = best;
}
