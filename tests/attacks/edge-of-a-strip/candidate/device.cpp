#include "hone.h"
#include "macros.h"

extern "C" void product(const hone_group* group, const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k)
{
  constexpr int64_t rows_of_strip = 96;
  const int64_t i = group->id[0];
  const int64_t first = i / rows_of_strip * rows_of_strip; // of the strip
  const bool alone = first > 0 && first == m - 1;
  for (int64_t j = 0; j < n; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < k - (alone ? 1 : 0); ++p) {
      sum += A[i * k + p] * B[p * n + j];
    }
    C[i * n + j] = sum;
  }
}
