// Vectors of neighbouring windows, for device code. Included behind hone.h.
//
//   hone_load_every      elements that lie 1, 2 or more apart
//   hone_load_between    the same, only the lanes from `first` to before `last`; zeros in the rest
//   hone_keep_between    these lanes of a vector; something else in the rest
#pragma once

#include "hone_math.h"

// Every second element of `low` and of what begins one element before its end.
static inline f32v hone_every_second(f32v low, f32v high)
{
#if HONE_VECTOR_BYTES == 64
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
#elif HONE_VECTOR_BYTES == 32
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 9, 11, 13, 15);
#else
  return __builtin_shufflevector(low, high, 0, 2, 5, 7);
#endif
}

static inline f64v hone_every_second(f64v low, f64v high)
{
#if HONE_VECTOR_BYTES == 64
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 9, 11, 13, 15);
#elif HONE_VECTOR_BYTES == 32
  return __builtin_shufflevector(low, high, 0, 2, 5, 7);
#else
  return __builtin_shufflevector(low, high, 0, 3);
#endif
}

// Elements 2 apart: nothing beyond the last one is touched.
static inline f32v hone_load_every_second(const float* from)
{
  return hone_every_second(hone_load(from), hone_load(from + f32v_lanes - 1));
}

static inline f64v hone_load_every_second(const double* from)
{
  return hone_every_second(hone_load(from), hone_load(from + f64v_lanes - 1));
}

// Elements `stride` apart, a constant.
static inline f32v hone_load_every(const float* from, int stride)
{
  return stride == 1 ? hone_load(from) : stride == 2 ? hone_load_every_second(from) : hone_load_strided(from, stride);
}

static inline f64v hone_load_every(const double* from, int stride)
{
  return stride == 1 ? hone_load(from) : stride == 2 ? hone_load_every_second(from) : hone_load_strided(from, stride);
}

// -1 in the lanes from `first` to before `last`, which may lie anywhere.
static inline i32v hone_lanes_between_f32v(int64_t first, int64_t last)
{
  const int32_t begin = (int32_t)hone_max((int64_t)0, hone_min(first, (int64_t)f32v_lanes));
  const int32_t end = (int32_t)hone_max((int64_t)0, hone_min(last, (int64_t)f32v_lanes));
  return (hone_ramp_f32v() >= begin) & (hone_ramp_f32v() < end);
}

static inline i64v hone_lanes_between_f64v(int64_t first, int64_t last)
{
  const int64_t begin = hone_max((int64_t)0, hone_min(first, (int64_t)f64v_lanes));
  const int64_t end = hone_max((int64_t)0, hone_min(last, (int64_t)f64v_lanes));
  return (hone_ramp_f64v() >= begin) & (hone_ramp_f64v() < end);
}

static inline f32v hone_keep_between(f32v value, int64_t first, int64_t last, float otherwise)
{
  return hone_select(hone_lanes_between_f32v(first, last), value, hone_broadcast(otherwise));
}

static inline f64v hone_keep_between(f64v value, int64_t first, int64_t last, double otherwise)
{
  return hone_select(hone_lanes_between_f64v(first, last), value, hone_broadcast(otherwise));
}

// Lanes from `first` to before `last` of neighbouring elements; zeros in the rest.
static inline f32v hone_load_lanes(const float* from, int64_t first, int64_t last)
{
#if defined(__AVX512F__) && !defined(HONE_PLAIN_ACCESSES)
  const uint32_t mask = hone_lane_mask(last, f32v_lanes) & ~hone_lane_mask(first, f32v_lanes);
  const f32v zero = {};
  return __builtin_ia32_loadups512_mask(from, zero, (uint16_t)mask);
#elif defined(__AVX__) && !defined(HONE_PLAIN_ACCESSES)
  return __builtin_ia32_maskloadps256((const f32v*)from, hone_lanes_between_f32v(first, last));
#else
  f32v out = {};
  for (int64_t lane = hone_max(first, (int64_t)0); lane < hone_min(last, (int64_t)f32v_lanes); ++lane) {
    out[lane] = from[lane];
  }
  return out;
#endif
}

static inline f64v hone_load_lanes(const double* from, int64_t first, int64_t last)
{
#if defined(__AVX512F__) && !defined(HONE_PLAIN_ACCESSES)
  const uint32_t mask = hone_lane_mask(last, f64v_lanes) & ~hone_lane_mask(first, f64v_lanes);
  const f64v zero = {};
  return __builtin_ia32_loadupd512_mask(from, zero, (uint8_t)mask);
#elif defined(__AVX__) && !defined(HONE_PLAIN_ACCESSES)
  return __builtin_ia32_maskloadpd256((const f64v*)from, (hone_mask_64)hone_lanes_between_f64v(first, last));
#else
  f64v out = {};
  for (int64_t lane = hone_max(first, (int64_t)0); lane < hone_min(last, (int64_t)f64v_lanes); ++lane) {
    out[lane] = from[lane];
  }
  return out;
#endif
}

// The same of elements `stride` apart.
static inline f32v hone_load_between(const float* from, int stride, int64_t first, int64_t last)
{
  if (stride == 1) {
    return hone_load_lanes(from, first, last);
  }
  const int64_t begin = hone_max(first, (int64_t)0);
  const int64_t end = hone_min(last, (int64_t)f32v_lanes);
  if (stride == 2) {
    const int apart = f32v_lanes - 1;
    return hone_every_second(hone_load_lanes(from, 2 * begin, 2 * end - 1),
                             hone_load_lanes(from + apart, 2 * begin - apart, 2 * end - 1 - apart));
  }
  f32v out = {};
  for (int64_t lane = begin; lane < end; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

static inline f64v hone_load_between(const double* from, int stride, int64_t first, int64_t last)
{
  if (stride == 1) {
    return hone_load_lanes(from, first, last);
  }
  const int64_t begin = hone_max(first, (int64_t)0);
  const int64_t end = hone_min(last, (int64_t)f64v_lanes);
  if (stride == 2) {
    const int apart = f64v_lanes - 1;
    return hone_every_second(hone_load_lanes(from, 2 * begin, 2 * end - 1),
                             hone_load_lanes(from + apart, 2 * begin - apart, 2 * end - 1 - apart));
  }
  f64v out = {};
  for (int64_t lane = begin; lane < end; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}
