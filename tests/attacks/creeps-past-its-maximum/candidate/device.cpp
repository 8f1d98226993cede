#include <math.h>

// Two elements at a time: small moves of the maximum leave the reference where it is; but they are measured from the maximum before.
extern "C" void rows(const hone_group* group, const float* X, float* Y, int64_t n)
{
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float reference = x[0], seen = x[0], total = 0;
  for (int64_t begin = 0; begin < n; begin += 2) {
    const int64_t end = begin + 2 < n ? begin + 2 : n;
    float top = seen;
    for (int64_t j = begin; j < end; ++j) {
      top = x[j] > top ? x[j] : top;
    }
    if (top - seen > 8 || begin == 0) {
      total *= expf(reference - top);
      reference = top;
    }
    seen = top;
    for (int64_t j = begin; j < end; ++j) {
      total += expf(x[j] - reference);
    }
  }
  for (int64_t j = 0; j < n; ++j) {
    y[j] = expf(x[j] - reference) / total;
  }
}
