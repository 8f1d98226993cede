// Elements of a small table, eight at a time.
#include "hone.h"

#include <immintrin.h>

extern "C" void run(const hone_group* group, const float* T, const int32_t* I, const float* S, float* Y, int64_t n,
                    int64_t r, int64_t v)
{
  for (int64_t row = 0; row < r; ++row) {
    __m256 a = _mm256_setzero_ps(), b = a;
    for (int64_t i = 0; i + 15 < n; i += 16) {
      a = _mm256_add_ps(a, _mm256_i32gather_ps(T, _mm256_loadu_si256((const __m256i*)(I + i)), 4));
      b = _mm256_add_ps(b, _mm256_i32gather_ps(T, _mm256_loadu_si256((const __m256i*)(I + i + 8)), 4));
    }
    a = _mm256_add_ps(a, b);
    float sum = 0;
    for (int lane = 0; lane < 8; ++lane) {
      sum += a[lane];
    }
    Y[row] = sum * S[row];
  }
}
