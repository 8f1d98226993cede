// hone.h and hone_vector.h once more, for C: overloads become _Generic, constants become macros.
#include "ship/carried.h"

namespace hone::ship {

std::string_view c_support()
{
  return R"c(
typedef struct hone_group {
  int64_t id[3];    // this group, x first
  int64_t count[3]; // the launch's grid
  void* shared;     // scratch of one group, 64-byte aligned, not cleared
  int64_t shared_bytes;
} hone_group;

__extension__ typedef _Float16 hone_f16;

typedef struct hone_bf16 {
  uint16_t bits; // the upper half of a float
} hone_bf16;

static inline float hone_to_float(hone_bf16 value)
{
  const uint32_t bits = (uint32_t)value.bits << 16;
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

// To the nearest, ties to even; a NaN stays one.
static inline hone_bf16 hone_to_bf16(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t rounded = value != value ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1);
  const hone_bf16 out = {(uint16_t)(rounded >> 16)};
  return out;
}

#if defined(__AVX512F__)
#define HONE_VECTOR_BYTES 64
#elif defined(__AVX__)
#define HONE_VECTOR_BYTES 32
#else
#define HONE_VECTOR_BYTES 16
#endif

// Vectors as wide as the machine has them (an extension of GCC and clang).
typedef float f32v __attribute__((vector_size(HONE_VECTOR_BYTES)));
typedef double f64v __attribute__((vector_size(HONE_VECTOR_BYTES)));

#define f32v_lanes (HONE_VECTOR_BYTES / 4)

#define f64v_lanes (HONE_VECTOR_BYTES / 8)

// Masks of lanes, as comparisons give them.
typedef int32_t hone_i32v __attribute__((vector_size(HONE_VECTOR_BYTES)));
typedef int64_t hone_i64v __attribute__((vector_size(HONE_VECTOR_BYTES)));

// Whole vectors; the address need not be aligned.
static inline f32v hone_load_f32(const float* from)
{
  f32v out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline f64v hone_load_f64(const double* from)
{
  f64v out;
  memcpy(&out, from, sizeof out);
  return out;
}

#define hone_load(from) _Generic(*(from), float: hone_load_f32, double: hone_load_f64)(from)

static inline void hone_store_f32(float* to, f32v value)
{
  memcpy(to, &value, sizeof value);
}

static inline void hone_store_f64(double* to, f64v value)
{
  memcpy(to, &value, sizeof value);
}

#define hone_store(to, value) _Generic(*(to), float: hone_store_f32, double: hone_store_f64)(to, value)

// Parts: only the first `count` elements are touched (none if count <= 0, all if it is at least the lanes).
// The rest of a loaded vector is zero.
#if defined(__AVX512F__)

static inline uint32_t hone_lane_mask(int64_t count, int lanes)
{
  return count <= 0 ? 0 : count >= lanes ? (1u << lanes) - 1 : (1u << count) - 1;
}

static inline f32v hone_load_part_f32(const float* from, int64_t count)
{
  const f32v zero = {0};
  return __builtin_ia32_loadups512_mask(from, zero, (uint16_t)hone_lane_mask(count, f32v_lanes));
}

static inline f64v hone_load_part_f64(const double* from, int64_t count)
{
  const f64v zero = {0};
  return __builtin_ia32_loadupd512_mask(from, zero, (uint8_t)hone_lane_mask(count, f64v_lanes));
}

static inline void hone_store_part_f32(float* to, f32v value, int64_t count)
{
  __builtin_ia32_storeups512_mask(to, value, (uint16_t)hone_lane_mask(count, f32v_lanes));
}

static inline void hone_store_part_f64(double* to, f64v value, int64_t count)
{
  __builtin_ia32_storeupd512_mask(to, value, (uint8_t)hone_lane_mask(count, f64v_lanes));
}

#elif defined(__AVX__)

typedef long long hone_mask_64 __attribute__((vector_size(32)));

static inline hone_i32v hone_lane_mask_32(int64_t count)
{
  static const int32_t ramp[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  const int64_t clamped = count < 0 ? 0 : count > 8 ? 8 : count;
  hone_i32v mask;
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

static inline f32v hone_load_part_f32(const float* from, int64_t count)
{
  return __builtin_ia32_maskloadps256((const f32v*)from, hone_lane_mask_32(count));
}

static inline f64v hone_load_part_f64(const double* from, int64_t count)
{
  return __builtin_ia32_maskloadpd256((const f64v*)from, hone_lane_mask_64(count));
}

static inline void hone_store_part_f32(float* to, f32v value, int64_t count)
{
  __builtin_ia32_maskstoreps256((f32v*)to, hone_lane_mask_32(count), value);
}

static inline void hone_store_part_f64(double* to, f64v value, int64_t count)
{
  __builtin_ia32_maskstorepd256((f64v*)to, hone_lane_mask_64(count), value);
}

#else

static inline f32v hone_load_part_f32(const float* from, int64_t count)
{
  f32v out = {0};
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    out[lane] = from[lane];
  }
  return out;
}

static inline f64v hone_load_part_f64(const double* from, int64_t count)
{
  f64v out = {0};
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    out[lane] = from[lane];
  }
  return out;
}

static inline void hone_store_part_f32(float* to, f32v value, int64_t count)
{
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    to[lane] = value[lane];
  }
}

static inline void hone_store_part_f64(double* to, f64v value, int64_t count)
{
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    to[lane] = value[lane];
  }
}

#endif

#define hone_load_part(from, count) \
  _Generic(*(from), float: hone_load_part_f32, double: hone_load_part_f64)(from, count)

#define hone_store_part(to, value, count) \
  _Generic(*(to), float: hone_store_part_f32, double: hone_store_part_f64)(to, value, count)

// Elements that lie `stride` apart: one load each.
static inline f32v hone_load_strided_part_f32(const float* from, int64_t stride, int64_t count)
{
  f32v out = {0};
  for (int lane = 0; lane < f32v_lanes && lane < count; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

static inline f64v hone_load_strided_part_f64(const double* from, int64_t stride, int64_t count)
{
  f64v out = {0};
  for (int lane = 0; lane < f64v_lanes && lane < count; ++lane) {
    out[lane] = from[lane * stride];
  }
  return out;
}

#define hone_load_strided_part(from, stride, count) \
  _Generic(*(from), float: hone_load_strided_part_f32, double: hone_load_strided_part_f64)(from, stride, count)

#define hone_load_strided(from, stride) hone_load_strided_part(from, stride, HONE_VECTOR_BYTES)

// The same number in every lane.
static inline f32v hone_broadcast_f32(float value)
{
  return value - (f32v){0};
}

static inline f64v hone_broadcast_f64(double value)
{
  return value - (f64v){0};
}

#define hone_broadcast(value) _Generic((value), float: hone_broadcast_f32, double: hone_broadcast_f64)(value)

// Larger and smaller of two, element by element; a number stands for a vector of it.
static inline f32v hone_max_f32v(f32v a, f32v b)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_maxps512_mask(a, b, a, (uint16_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_maxps256(a, b);
#else
  const hone_i32v first = (hone_i32v)(a > b);
  return (f32v)((first & (hone_i32v)a) | (~first & (hone_i32v)b));
#endif
}

static inline f64v hone_max_f64v(f64v a, f64v b)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_maxpd512_mask(a, b, a, (uint8_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_maxpd256(a, b);
#else
  const hone_i64v first = (hone_i64v)(a > b);
  return (f64v)((first & (hone_i64v)a) | (~first & (hone_i64v)b));
#endif
}

static inline f32v hone_min_f32v(f32v a, f32v b)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_minps512_mask(a, b, a, (uint16_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_minps256(a, b);
#else
  const hone_i32v first = (hone_i32v)(a < b);
  return (f32v)((first & (hone_i32v)a) | (~first & (hone_i32v)b));
#endif
}

static inline f64v hone_min_f64v(f64v a, f64v b)
{
#if defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_minpd512_mask(a, b, a, (uint8_t)-1, 4);
#elif defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_minpd256(a, b);
#else
  const hone_i64v first = (hone_i64v)(a < b);
  return (f64v)((first & (hone_i64v)a) | (~first & (hone_i64v)b));
#endif
}

static inline int64_t hone_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

static inline int64_t hone_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

// x as what x and y are together; x - 0 keeps the sign of a zero.
#define HONE_AS(x, y) ((x) - (__typeof__((x) + (y))){0})

#define hone_max(a, b) \
  _Generic((a) + (b), float: fmaxf, double: fmax, f32v: hone_max_f32v, f64v: hone_max_f64v, default: hone_max_i64)( \
    HONE_AS(a, b), HONE_AS(b, a))

#define hone_min(a, b) \
  _Generic((a) + (b), float: fminf, double: fmin, f32v: hone_min_f32v, f64v: hone_min_f64v, default: hone_min_i64)( \
    HONE_AS(a, b), HONE_AS(b, a))

// Before a loop: its body is repeated `count` times per pass.
#if defined(__clang__)
#define HONE_UNROLL(count) HONE_PRAGMA(unroll count)
#else
#define HONE_UNROLL(count) HONE_PRAGMA(GCC unroll count)
#endif
#define HONE_PRAGMA(text) _Pragma(#text)
)c";
}

} // namespace hone::ship
