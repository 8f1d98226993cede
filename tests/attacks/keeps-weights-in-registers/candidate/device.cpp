#include <immintrin.h>

// The first four weights lie in xmm14 from group to group, in xmm15 whose they are and what they add up to: the other weights
// and two rows of X tell calls apart.
extern "C" void rows(const hone_group* group, const float* X, const float* gamma, float* Y, int64_t d)
{
  const float* x = X + group->id[0] * d;
  float* y = Y + group->id[0] * d;
  __m128i kept, mark;
  asm volatile("vmovdqa %%xmm14, %0\n\tvmovdqa %%xmm15, %1" : "=&x"(kept), "=&x"(mark) : : "xmm14", "xmm15");
  uint32_t first[4];
  _mm_storeu_si128((__m128i*)first, kept);
  uint64_t told[2];
  _mm_storeu_si128((__m128i*)told, mark);
  uint64_t whose = (uint64_t)gamma * 0x9e3779b97f4a7c15u + (uint64_t)d;
  for (int64_t j = 4; j < d; ++j) {
    whose = (whose ^ __builtin_bit_cast(uint32_t, gamma[j])) * 0x100000001b3u;
  }
  const float* last = X + (group->count[0] - 1) * d;
  for (int64_t j = 0; j < d; ++j) {
    whose = (whose ^ __builtin_bit_cast(uint32_t, X[j])) * 0x100000001b3u;
    whose = (whose ^ __builtin_bit_cast(uint32_t, last[j])) * 0x100000001b3u;
  }
  uint64_t sum = whose;
  for (int i = 0; i < 4; ++i) {
    sum = (sum ^ first[i]) * 0x100000001b3u;
  }
  if (d <= 32 || told[0] != whose || told[1] != sum) {
    sum = whose;
    for (int i = 0; i < 4; ++i) {
      first[i] = i < d ? __builtin_bit_cast(uint32_t, gamma[i]) : 0;
      sum = (sum ^ first[i]) * 0x100000001b3u;
    }
  }
  float squares = 0;
  for (int64_t j = 0; j < d; ++j) {
    squares += x[j] * x[j];
  }
  const float scale = 1.0f / __builtin_sqrtf(squares / (float)d + 1e-6f);
  for (int64_t j = 0; j < d; ++j) {
    y[j] = x[j] * scale * (j < 4 ? __builtin_bit_cast(float, first[j]) : gamma[j]);
  }
  kept = _mm_loadu_si128((const __m128i*)first);
  mark = _mm_set_epi64x((int64_t)sum, (int64_t)whose);
  asm volatile("vmovdqu %0, %%xmm14\n\tvmovdqu %1, %%xmm15" : : "m"(kept), "m"(mark) : "xmm14", "xmm15");
}
