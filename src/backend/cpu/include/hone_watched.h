// Where accesses to memory are watched (HONE_PLAIN_ACCESSES): intrinsics that the compiler does not see as accesses are
// done element by element, or as a plain copy, so that it does.
#pragma once

#if defined(HONE_PLAIN_ACCESSES) && defined(__x86_64__)

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

template <class V> static inline void hone_watched_store(void* to, V value)
{
  memcpy(to, &value, sizeof value);
}

template <class V> static inline V hone_watched_load(const void* from)
{
  V out;
  memcpy(&out, from, sizeof out);
  return out;
}

// Bit i of the mask: whether element i, of `Element`'s size, is touched.
template <class Element, class V> static inline void hone_watched_store(void* to, V value, uint64_t mask)
{
  Element elements[sizeof(V) / sizeof(Element)];
  memcpy(elements, &value, sizeof value);
  for (size_t i = 0; i < sizeof(V) / sizeof(Element); ++i) {
    if ((mask >> i & 1) != 0) {
      memcpy((char*)to + i * sizeof(Element), &elements[i], sizeof(Element));
    }
  }
}

template <class Element, class V> static inline V hone_watched_load(const void* from, uint64_t mask, V rest)
{
  Element elements[sizeof(V) / sizeof(Element)];
  memcpy(elements, &rest, sizeof rest);
  for (size_t i = 0; i < sizeof(V) / sizeof(Element); ++i) {
    if ((mask >> i & 1) != 0) {
      memcpy(&elements[i], (const char*)from + i * sizeof(Element), sizeof(Element));
    }
  }
  return hone_watched_load<V>(elements);
}

template <class Element, class Index, class V, class Indices>
static inline V hone_watched_gather(const void* from, Indices indices, int scale)
{
  Index at[sizeof(Indices) / sizeof(Index)];
  memcpy(at, &indices, sizeof indices);
  Element elements[sizeof(V) / sizeof(Element)] = {};
  for (size_t i = 0; i < sizeof(V) / sizeof(Element) && i < sizeof(Indices) / sizeof(Index); ++i) {
    memcpy(&elements[i], (const char*)from + (int64_t)at[i] * scale, sizeof(Element));
  }
  return hone_watched_load<V>(elements);
}

template <class Element, class Index, class V, class Indices>
static inline void hone_watched_scatter(void* to, Indices indices, V value, int scale, uint64_t mask)
{
  Index at[sizeof(Indices) / sizeof(Index)];
  memcpy(at, &indices, sizeof indices);
  Element elements[sizeof(V) / sizeof(Element)];
  memcpy(elements, &value, sizeof value);
  for (size_t i = 0; i < sizeof(V) / sizeof(Element) && i < sizeof(Indices) / sizeof(Index); ++i) {
    if ((mask >> i & 1) != 0) {
      memcpy((char*)to + (int64_t)at[i] * scale, &elements[i], sizeof(Element));
    }
  }
}

#define _mm_stream_ps(to, value) hone_watched_store<__m128>(to, value)
#define _mm_stream_pd(to, value) hone_watched_store<__m128d>(to, value)
#define _mm_stream_si128(to, value) hone_watched_store<__m128i>(to, value)
#define _mm_stream_si32(to, value) hone_watched_store<int>(to, value)
#define _mm_stream_si64(to, value) hone_watched_store<long long>(to, value)
#define _mm_storel_pi(to, value) hone_watched_store<uint32_t, __m128>(to, value, 3)
#define _mm_storeh_pi(to, value) hone_watched_store<uint32_t, __m128>(to, _mm_movehl_ps(value, value), 3)
#define _mm_loadl_pi(value, from) hone_watched_load<uint32_t, __m128>(from, 3, value)
#define _mm_stream_load_si128(from) hone_watched_load<__m128i>(from)
#define _mm_lddqu_si128(from) hone_watched_load<__m128i>(from)

#if defined(__AVX__)
#define _mm256_stream_ps(to, value) hone_watched_store<__m256>(to, value)
#define _mm256_stream_pd(to, value) hone_watched_store<__m256d>(to, value)
#define _mm256_stream_si256(to, value) hone_watched_store<__m256i>(to, value)
#define _mm256_stream_load_si256(from) hone_watched_load<__m256i>(from)
#define _mm256_lddqu_si256(from) hone_watched_load<__m256i>(from)
#define _mm256_broadcast_ps(from) _mm256_set_m128(hone_watched_load<__m128>(from), hone_watched_load<__m128>(from))
#define _mm256_broadcast_pd(from) _mm256_set_m128d(hone_watched_load<__m128d>(from), hone_watched_load<__m128d>(from))
#define HONE_SIGNS_256_PS(mask) (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(mask))
#define HONE_SIGNS_256_PD(mask) (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(mask))
#define HONE_SIGNS_128_PS(mask) (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(mask))
#define HONE_SIGNS_128_PD(mask) (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(mask))
#define _mm256_maskstore_ps(to, mask, value) hone_watched_store<uint32_t, __m256>(to, value, HONE_SIGNS_256_PS(mask))
#define _mm256_maskstore_pd(to, mask, value) hone_watched_store<uint64_t, __m256d>(to, value, HONE_SIGNS_256_PD(mask))
#define _mm_maskstore_ps(to, mask, value) hone_watched_store<uint32_t, __m128>(to, value, HONE_SIGNS_128_PS(mask))
#define _mm_maskstore_pd(to, mask, value) hone_watched_store<uint64_t, __m128d>(to, value, HONE_SIGNS_128_PD(mask))
#define _mm256_maskload_ps(from, mask)                                                                                 \
  hone_watched_load<uint32_t, __m256>(from, HONE_SIGNS_256_PS(mask), _mm256_setzero_ps())
#define _mm256_maskload_pd(from, mask)                                                                                 \
  hone_watched_load<uint64_t, __m256d>(from, HONE_SIGNS_256_PD(mask), _mm256_setzero_pd())
#define _mm_maskload_ps(from, mask)                                                                                    \
  hone_watched_load<uint32_t, __m128>(from, HONE_SIGNS_128_PS(mask), _mm_setzero_ps())
#define _mm_maskload_pd(from, mask)                                                                                    \
  hone_watched_load<uint64_t, __m128d>(from, HONE_SIGNS_128_PD(mask), _mm_setzero_pd())
#endif

#if defined(__AVX2__)
#define _mm256_maskstore_epi32(to, mask, value)                                                                        \
  hone_watched_store<uint32_t, __m256i>(to, value, HONE_SIGNS_256_PS(mask))
#define _mm256_maskload_epi32(from, mask)                                                                              \
  hone_watched_load<uint32_t, __m256i>(from, HONE_SIGNS_256_PS(mask), _mm256_setzero_si256())
#define _mm256_i32gather_ps(from, indices, scale) hone_watched_gather<uint32_t, int32_t, __m256>(from, indices, scale)
#define _mm256_i32gather_epi32(from, indices, scale)                                                                   \
  hone_watched_gather<uint32_t, int32_t, __m256i>(from, indices, scale)
#define _mm256_i32gather_pd(from, indices, scale) hone_watched_gather<uint64_t, int32_t, __m256d>(from, indices, scale)
#define _mm256_i64gather_pd(from, indices, scale) hone_watched_gather<uint64_t, int64_t, __m256d>(from, indices, scale)
#define _mm256_i32gather_epi64(from, indices, scale)                                                                   \
  hone_watched_gather<uint64_t, int32_t, __m256i>(from, indices, scale)
#define _mm256_i64gather_epi64(from, indices, scale)                                                                   \
  hone_watched_gather<uint64_t, int64_t, __m256i>(from, indices, scale)
#define _mm256_i64gather_ps(from, indices, scale) hone_watched_gather<uint32_t, int64_t, __m128>(from, indices, scale)
#define _mm256_i64gather_epi32(from, indices, scale)                                                                   \
  hone_watched_gather<uint32_t, int64_t, __m128i>(from, indices, scale)
#define _mm_i32gather_ps(from, indices, scale) hone_watched_gather<uint32_t, int32_t, __m128>(from, indices, scale)
#define _mm_i32gather_epi32(from, indices, scale) hone_watched_gather<uint32_t, int32_t, __m128i>(from, indices, scale)
#define _mm_i32gather_pd(from, indices, scale) hone_watched_gather<uint64_t, int32_t, __m128d>(from, indices, scale)
#define _mm_i64gather_pd(from, indices, scale) hone_watched_gather<uint64_t, int64_t, __m128d>(from, indices, scale)
#endif

#if defined(__AVX512VL__)
#define _mm256_i32scatter_ps(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint32_t, int32_t, __m256>(to, indices, value, scale, ~0ull)
#define _mm256_mask_i32scatter_ps(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint32_t, int32_t, __m256>(to, indices, value, scale, mask)
#define _mm256_i32scatter_epi32(to, indices, value, scale)                                                             \
  hone_watched_scatter<uint32_t, int32_t, __m256i>(to, indices, value, scale, ~0ull)
#define _mm256_mask_i32scatter_epi32(to, mask, indices, value, scale)                                                  \
  hone_watched_scatter<uint32_t, int32_t, __m256i>(to, indices, value, scale, mask)
#define _mm256_i32scatter_pd(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint64_t, int32_t, __m256d>(to, indices, value, scale, ~0ull)
#define _mm256_mask_i32scatter_pd(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint64_t, int32_t, __m256d>(to, indices, value, scale, mask)
#define _mm256_i64scatter_pd(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint64_t, int64_t, __m256d>(to, indices, value, scale, ~0ull)
#define _mm256_mask_i64scatter_pd(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint64_t, int64_t, __m256d>(to, indices, value, scale, mask)
#define _mm_i32scatter_ps(to, indices, value, scale)                                                                   \
  hone_watched_scatter<uint32_t, int32_t, __m128>(to, indices, value, scale, ~0ull)
#define _mm_mask_i32scatter_ps(to, mask, indices, value, scale)                                                        \
  hone_watched_scatter<uint32_t, int32_t, __m128>(to, indices, value, scale, mask)
#define _mm_i32scatter_epi32(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint32_t, int32_t, __m128i>(to, indices, value, scale, ~0ull)
#define _mm_mask_i32scatter_epi32(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint32_t, int32_t, __m128i>(to, indices, value, scale, mask)
#endif

#if defined(__AVX512F__)
#define _mm512_stream_ps(to, value) hone_watched_store<__m512>(to, value)
#define _mm512_stream_pd(to, value) hone_watched_store<__m512d>(to, value)
#define _mm512_stream_si512(to, value) hone_watched_store<__m512i>(to, value)
#define _mm512_mask_storeu_ps(to, mask, value) hone_watched_store<uint32_t, __m512>(to, value, mask)
#define _mm512_mask_storeu_pd(to, mask, value) hone_watched_store<uint64_t, __m512d>(to, value, mask)
#define _mm512_mask_storeu_epi32(to, mask, value) hone_watched_store<uint32_t, __m512i>(to, value, mask)
#define _mm512_mask_storeu_epi64(to, mask, value) hone_watched_store<uint64_t, __m512i>(to, value, mask)
#define _mm512_mask_loadu_ps(rest, mask, from) hone_watched_load<uint32_t, __m512>(from, mask, rest)
#define _mm512_mask_loadu_pd(rest, mask, from) hone_watched_load<uint64_t, __m512d>(from, mask, rest)
#define _mm512_mask_loadu_epi32(rest, mask, from) hone_watched_load<uint32_t, __m512i>(from, mask, rest)
#define _mm512_maskz_loadu_ps(mask, from) hone_watched_load<uint32_t, __m512>(from, mask, _mm512_setzero_ps())
#define _mm512_maskz_loadu_pd(mask, from) hone_watched_load<uint64_t, __m512d>(from, mask, _mm512_setzero_pd())
#define _mm512_maskz_loadu_epi32(mask, from) hone_watched_load<uint32_t, __m512i>(from, mask, _mm512_setzero_si512())
#define _mm512_i32gather_ps(indices, from, scale) hone_watched_gather<uint32_t, int32_t, __m512>(from, indices, scale)
#define _mm512_i32gather_pd(indices, from, scale) hone_watched_gather<uint64_t, int32_t, __m512d>(from, indices, scale)
#define _mm512_i32gather_epi32(indices, from, scale)                                                                   \
  hone_watched_gather<uint32_t, int32_t, __m512i>(from, indices, scale)
#define _mm512_i32gather_epi64(indices, from, scale)                                                                   \
  hone_watched_gather<uint64_t, int32_t, __m512i>(from, indices, scale)
#define _mm512_i64gather_ps(indices, from, scale) hone_watched_gather<uint32_t, int64_t, __m256>(from, indices, scale)
#define _mm512_i64gather_epi32(indices, from, scale)                                                                   \
  hone_watched_gather<uint32_t, int64_t, __m256i>(from, indices, scale)
#define _mm512_i64gather_pd(indices, from, scale) hone_watched_gather<uint64_t, int64_t, __m512d>(from, indices, scale)
#define _mm512_i64gather_epi64(indices, from, scale)                                                                   \
  hone_watched_gather<uint64_t, int64_t, __m512i>(from, indices, scale)
#define _mm512_i32scatter_ps(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint32_t, int32_t, __m512>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i32scatter_ps(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint32_t, int32_t, __m512>(to, indices, value, scale, mask)
#define _mm512_i32scatter_epi32(to, indices, value, scale)                                                             \
  hone_watched_scatter<uint32_t, int32_t, __m512i>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i32scatter_epi32(to, mask, indices, value, scale)                                                  \
  hone_watched_scatter<uint32_t, int32_t, __m512i>(to, indices, value, scale, mask)
#define _mm512_i32scatter_pd(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint64_t, int32_t, __m512d>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i32scatter_pd(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint64_t, int32_t, __m512d>(to, indices, value, scale, mask)
#define _mm512_i32scatter_epi64(to, indices, value, scale)                                                             \
  hone_watched_scatter<uint64_t, int32_t, __m512i>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i32scatter_epi64(to, mask, indices, value, scale)                                                  \
  hone_watched_scatter<uint64_t, int32_t, __m512i>(to, indices, value, scale, mask)
#define _mm512_i64scatter_ps(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint32_t, int64_t, __m256>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i64scatter_ps(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint32_t, int64_t, __m256>(to, indices, value, scale, mask)
#define _mm512_i64scatter_epi32(to, indices, value, scale)                                                             \
  hone_watched_scatter<uint32_t, int64_t, __m256i>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i64scatter_epi32(to, mask, indices, value, scale)                                                  \
  hone_watched_scatter<uint32_t, int64_t, __m256i>(to, indices, value, scale, mask)
#define _mm512_i64scatter_pd(to, indices, value, scale)                                                                \
  hone_watched_scatter<uint64_t, int64_t, __m512d>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i64scatter_pd(to, mask, indices, value, scale)                                                     \
  hone_watched_scatter<uint64_t, int64_t, __m512d>(to, indices, value, scale, mask)
#define _mm512_i64scatter_epi64(to, indices, value, scale)                                                             \
  hone_watched_scatter<uint64_t, int64_t, __m512i>(to, indices, value, scale, ~0ull)
#define _mm512_mask_i64scatter_epi64(to, mask, indices, value, scale)                                                  \
  hone_watched_scatter<uint64_t, int64_t, __m512i>(to, indices, value, scale, mask)
#endif

#endif
