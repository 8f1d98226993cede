#include "hone.h"

static void rows(const hone_group* group, const float* A, const float* B, float* C, int64_t n, int64_t k, int64_t terms)
{
  const int64_t i = group->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < terms; ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t n, int64_t k)
{
  rows(group, A, B, C, n, k, k);
}

extern "C" void long_product(const hone_group* group, const float* A, const float* B, float* C, int64_t n, int64_t k)
{
  rows(group, A, B, C, n, k, k / 2);
}
