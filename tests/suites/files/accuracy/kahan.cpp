// Kahan's compensated sum of each row. Where the sum overflows, the correction is inf - inf.
extern "C" void sums(const hone_group* group, const float* X, float* S, int64_t n)
{
  const float* const row = X + group->id[0] * n;
  float sum = 0.0f, lost = 0.0f;
  for (int64_t j = 0; j < n; ++j) {
    const float term = row[j] - lost;
    const float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  S[group->id[0]] = sum;
}
