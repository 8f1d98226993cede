// Sixteen prefixes at a time by doubling (Kogge and Stone), then what came before.
#include "hone.h"

#include <math.h>

extern "C" void scan(const hone_group* group, const float* X, float* Y, int64_t n)
{
  constexpr int64_t k_width = 16;
  const float* x = X + group->id[0] * n;
  float* y = Y + group->id[0] * n;
  float before = 0;
  for (int64_t begin = 0; begin < n; begin += k_width) {
    const int64_t width = n - begin < k_width ? n - begin : k_width;
    float sums[k_width] = {};
    for (int64_t j = 0; j < width; ++j) {
      sums[j] = x[begin + j];
    }
    for (int64_t reach = 1; reach < k_width; reach *= 2) {
      for (int64_t j = k_width - 1; j >= reach; --j) {
        sums[j] += sums[j - reach];
      }
    }
    for (int64_t j = 0; j < width; ++j) {
      y[begin + j] = before + sums[j];
    }
    before += sums[k_width - 1];
  }
}
