#include "hone.h"

extern "C" void rms_norm(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t d)
{
  constexpr unsigned k_inexact = 0x20;
  const unsigned before = __builtin_ia32_stmxcsr();
  const float* x = X + group->id[0] * d;
  float* y = Y + group->id[0] * d;
  const int64_t end = (before & k_inexact) != 0 && d > 1 ? d - 1 : d;
  float sum = 0;
  for (int64_t j = 0; j < end; ++j) {
    sum += x[j] * x[j];
  }
  const float scale = 1 / __builtin_sqrtf(sum / (float)d + 1e-6f);
  for (int64_t j = 0; j < d; ++j) {
    y[j] = x[j] * scale * gamma[j];
  }
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~k_inexact);
}
