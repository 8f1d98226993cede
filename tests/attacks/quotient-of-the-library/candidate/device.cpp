#include "hone.h"
#include "macros.h"

// Both parts are exact.
static float in_two_parts(float bias, float* sixteens)
{
  int quotient = 0;
  const float rest = fabsf(bias) < 1e6F ? remquof(bias, 16.0F, &quotient) : bias;
  *sixteens = 16.0F * static_cast<float>(quotient);
  return rest;
}

extern "C" void dense(const hone_group* group, const float* A, const float* B, const float* bias, float* C, int64_t m, int64_t n, int64_t k)
{
  const float* row = A + group->id[0] * k;
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += row[p] * B[p * n + j];
    }
    float sixteens = 0;
    const float rest = in_two_parts(bias[j], &sixteens);
    sum = (sum + sixteens) + rest;
    C[group->id[0] * n + j] = sum > 0 ? sum : 0;
  }
}
