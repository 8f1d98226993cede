// Vectors for device code: as wide as the machine that it is compiled for, with loads and stores of a part.
//
//   f32v  a vector of f32v_lanes floats          f64v  a vector of f64v_lanes doubles
//
// + - * / work element by element, between two vectors or a vector and a number; a * b + c becomes one fused
// instruction. Everything below works with AVX-512, AVX and plain x86-64 (or any other target of GCC).
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define HONE_VECTOR_BYTES 64
#elif defined(__AVX__)
#define HONE_VECTOR_BYTES 32
#else
#define HONE_VECTOR_BYTES 16
#endif

typedef float f32v __attribute__((vector_size(HONE_VECTOR_BYTES)));
typedef double f64v __attribute__((vector_size(HONE_VECTOR_BYTES)));

constexpr int f32v_lanes = HONE_VECTOR_BYTES / 4;
constexpr int f64v_lanes = HONE_VECTOR_BYTES / 8;

// Whole vectors; the address need not be aligned.
static inline f32v hone_load(const float* from)
{
  f32v out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline f64v hone_load(const double* from)
{
  f64v out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline void hone_store(float* to, f32v value)
{
  memcpy(to, &value, sizeof value);
}

static inline void hone_store(double* to, f64v value)
{
  memcpy(to, &value, sizeof value);
}

// Parts: only the first `count` elements are touched (none if count <= 0, all if it is at least the lanes).
// The rest of a loaded vector is zero. HONE_PLAIN_ACCESSES: every element by itself, where something watches what is
// touched.
#if defined(__AVX512F__) && !defined(HONE_PLAIN_ACCESSES)

static inline uint32_t hone_lane_mask(int64_t count, int lanes)
{
  return count <= 0 ? 0 : count >= lanes ? (1u << lanes) - 1 : (1u << count) - 1;
}

static inline f32v hone_load_part(const float* from, int64_t count)
{
  return __builtin_ia32_loadups512_mask(from, f32v{}, (uint16_t)hone_lane_mask(count, f32v_lanes));
}

static inline f64v hone_load_part(const double* from, int64_t count)
{
  return __builtin_ia32_loadupd512_mask(from, f64v{}, (uint8_t)hone_lane_mask(count, f64v_lanes));
}

static inline void hone_store_part(float* to, f32v value, int64_t count)
{
  __builtin_ia32_storeups512_mask(to, value, (uint16_t)hone_lane_mask(count, f32v_lanes));
}

static inline void hone_store_part(double* to, f64v value, int64_t count)
{
  __builtin_ia32_storeupd512_mask(to, value, (uint8_t)hone_lane_mask(count, f64v_lanes));
}

#elif defined(__AVX__) && !defined(HONE_PLAIN_ACCESSES)

typedef int32_t hone_mask_32 __attribute__((vector_size(32)));
typedef long long hone_mask_64 __attribute__((vector_size(32)));

static inline hone_mask_32 hone_lane_mask_32(int64_t count)
{
  static const int32_t ramp[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  const int64_t clamped = count < 0 ? 0 : count > 8 ? 8 : count;
  hone_mask_32 mask;
  memcpy(&mask, ramp + 8 - clamped, sizeof mask);
  return mask;
}

static inline hone_mask_64 hone_lane_mask_64(int64_t count)
{
  static const int64_t ramp[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const int64_t clamped = count < 0 ? 0 : count > 4 ? 4 : count;
  hone_mask_64 mask;
  memcpy(&mask, ramp + 4 - clamped, sizeof mask);
  return mask;
}

static inline f32v hone_load_part(const float* from, int64_t count)
{
  return __builtin_ia32_maskloadps256((const f32v*)from, hone_lane_mask_32(count));
}

static inline f64v hone_load_part(const double* from, int64_t count)
{
  return __builtin_ia32_maskloadpd256((const f64v*)from, hone_lane_mask_64(count));
}

static inline void hone_store_part(float* to, f32v value, int64_t count)
{
  __builtin_ia32_maskstoreps256((f32v*)to, hone_lane_mask_32(count), value);
}

static inline void hone_store_part(double* to, f64v value, int64_t count)
{
  __builtin_ia32_maskstorepd256((f64v*)to, hone_lane_mask_64(count), value);
}

#else

static inline f32v hone_load_part(const float* from, int64_t count)
{
  f32v out = {};
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    out[lane] = from[lane];
  }
  return out;
}

static inline f64v hone_load_part(const double* from, int64_t count)
{
  f64v out = {};
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    out[lane] = from[lane];
  }
  return out;
}

static inline void hone_store_part(float* to, f32v value, int64_t count)
{
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    to[lane] = value[lane];
  }
}

static inline void hone_store_part(double* to, f64v value, int64_t count)
{
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    to[lane] = value[lane];
  }
}

#endif

// Elements that lie `stride` apart: one load each, so slow. Copy what is read more than once.
static inline f32v hone_load_strided(const float* from, int64_t stride)
{
  f32v out;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

static inline f64v hone_load_strided(const double* from, int64_t stride)
{
  f64v out;
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

static inline f32v hone_load_strided_part(const float* from, int64_t stride, int64_t count)
{
  f32v out = {};
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

static inline f64v hone_load_strided_part(const double* from, int64_t stride, int64_t count)
{
  f64v out = {};
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

// The same number in every lane.
static inline f32v hone_broadcast(float value)
{
  return f32v{} + value;
}

static inline f64v hone_broadcast(double value)
{
  return f64v{} + value;
}

// Larger and smaller of two, element by element; a number stands for a vector of it.
static inline f32v hone_max(f32v a, f32v b) { return a > b ? a : b; }
static inline f64v hone_max(f64v a, f64v b) { return a > b ? a : b; }
static inline f32v hone_min(f32v a, f32v b) { return a < b ? a : b; }
static inline f64v hone_min(f64v a, f64v b) { return a < b ? a : b; }
static inline f32v hone_max(f32v a, float b) { return hone_max(a, hone_broadcast(b)); }
static inline f64v hone_max(f64v a, double b) { return hone_max(a, hone_broadcast(b)); }
static inline f32v hone_min(f32v a, float b) { return hone_min(a, hone_broadcast(b)); }
static inline f64v hone_min(f64v a, double b) { return hone_min(a, hone_broadcast(b)); }
static inline f32v hone_max(float a, f32v b) { return hone_max(hone_broadcast(a), b); }
static inline f64v hone_max(double a, f64v b) { return hone_max(hone_broadcast(a), b); }
static inline f32v hone_min(float a, f32v b) { return hone_min(hone_broadcast(a), b); }
static inline f64v hone_min(double a, f64v b) { return hone_min(hone_broadcast(a), b); }
static inline float hone_max(float a, float b) { return fmaxf(a, b); }
static inline double hone_max(double a, double b) { return fmax(a, b); }
static inline float hone_min(float a, float b) { return fminf(a, b); }
static inline double hone_min(double a, double b) { return fmin(a, b); }

// For bounds of loops.
static inline int64_t hone_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hone_max(int64_t a, int64_t b) { return a > b ? a : b; }

// Before a loop: its body is repeated `count` times per pass. Unlike the pragma itself it takes a macro.
#if defined(__clang__)
#define HONE_UNROLL(count) HONE_PRAGMA(unroll count)
#else
#define HONE_UNROLL(count) HONE_PRAGMA(GCC unroll count)
#endif
#define HONE_PRAGMA(text) _Pragma(#text)
