// What a row's loop needs of whole vectors beside arithmetic. hone_math.h includes it.
// Long because every function is there for floats and for doubles.
//
//   hone_sum hone_product hone_largest hone_smallest                 one number of a vector
//   hone_sums                                                        the sums of four vectors, as lanes of one
//   hone_running_sum hone_running_product hone_last                  each lane with those before it; the last one
//   hone_running_max hone_running_min                                of numbers that are not NaN
//   hone_keep hone_select                                            the first lanes only; where a condition holds
//   hone_pieces hone_spread                                          few numbers again and again; one of them alone
//   hone_best_f32v hone_best_f64v                                    the position of the largest or smallest
//   hone_stream                                                      stores past the caches
//
// Overloads come in pairs, for f32v and for f64v, a paragraph each and in words that C has too: `hone ship --as c`
// makes C of them.
#pragma once

#include "hone_vector.h"

typedef int32_t i32v __attribute__((vector_size(HONE_VECTOR_BYTES)));

typedef int64_t i64v __attribute__((vector_size(HONE_VECTOR_BYTES)));

// 0, 1, 2, ...
static inline i32v hone_ramp_f32v(void)
{
  i32v out = {};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = lane;
  }
  return out;
}

static inline i64v hone_ramp_f64v(void)
{
  i64v out = {};
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = lane;
  }
  return out;
}

static inline i32v hone_bits(f32v value)
{
  return (i32v)value;
}

static inline i64v hone_bits(f64v value)
{
  return (i64v)value;
}

// `yes` where the condition holds, which is a comparison of vectors: all bits of a lane or none.
static inline f32v hone_select(i32v condition, f32v yes, f32v no)
{
#if defined(__cplusplus)
  return condition ? yes : no;
#else
  return (f32v)((condition & (i32v)yes) | (~condition & (i32v)no));
#endif
}

static inline f64v hone_select(i64v condition, f64v yes, f64v no)
{
#if defined(__cplusplus)
  return condition ? yes : no;
#else
  return (f64v)((condition & (i64v)yes) | (~condition & (i64v)no));
#endif
}

// The first `count` lanes of `value`; `otherwise` in the rest.
static inline f32v hone_keep(f32v value, int64_t count, float otherwise)
{
  const int32_t limit = (int32_t)hone_min(count, (int64_t)f32v_lanes);
  return hone_select(hone_ramp_f32v() < limit, value, hone_broadcast(otherwise));
}

static inline f64v hone_keep(f64v value, int64_t count, double otherwise)
{
  const int64_t limit = (int64_t)hone_min(count, (int64_t)f64v_lanes);
  return hone_select(hone_ramp_f64v() < limit, value, hone_broadcast(otherwise));
}

// Lane n takes the place of lane n ^ half.
static inline f32v hone_swapped(f32v value, int half)
{
#if defined(__clang__)
  f32v out = value;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = value[lane ^ half];
  }
  return out;
#else
  return __builtin_shuffle(value, hone_ramp_f32v() ^ half);
#endif
}

static inline f64v hone_swapped(f64v value, int half)
{
#if defined(__clang__)
  f64v out = value;
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = value[lane ^ half];
  }
  return out;
#else
  return __builtin_shuffle(value, hone_ramp_f64v() ^ half);
#endif
}

// The 16 bytes at `from`, again and again.
typedef float hone_piece __attribute__((vector_size(16)));

static inline f32v hone_pieces(const float* from)
{
#if defined(__AVX512F__) && !defined(__clang__)
  hone_piece piece;
  memcpy(&piece, from, sizeof piece);
  const f32v zero = {};
  return __builtin_ia32_broadcastf32x4_512(piece, zero, (uint16_t)-1);
#elif defined(__AVX__) && !defined(__clang__) && !defined(HONE_PLAIN_ACCESSES)
  return __builtin_ia32_vbroadcastf128_ps256((const hone_piece*)from);
#else
  f32v out = {};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = from[lane % 4];
  }
  return out;
#endif
}

static inline f64v hone_pieces(const double* from)
{
#if defined(__AVX__) && !defined(__clang__)
  return (f64v)hone_pieces((const float*)from);
#else
  f64v out = {};
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = from[lane % 2];
  }
  return out;
#endif
}

// Number `at` of each 16 bytes, all over them: of what hone_pieces read, one number in all lanes.
static inline f32v hone_spread(f32v value, int at)
{
#if defined(__clang__)
  f32v out = value;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = value[lane / 4 * 4 + at];
  }
  return out;
#else
  return __builtin_shuffle(value, (hone_ramp_f32v() & ~3) | at);
#endif
}

static inline f64v hone_spread(f64v value, int at)
{
#if defined(__clang__)
  f64v out = value;
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = value[lane / 2 * 2 + at];
  }
  return out;
#else
  return __builtin_shuffle(value, (hone_ramp_f64v() & ~(int64_t)1) | (int64_t)at);
#endif
}

// One number from all lanes, halves against halves.
static inline float hone_sum(f32v value)
{
  HONE_UNROLL(8)
  for (int half = f32v_lanes / 2; half > 0; half /= 2) {
    value = value + hone_swapped(value, half);
  }
  return value[0];
}

static inline double hone_sum(f64v value)
{
  HONE_UNROLL(8)
  for (int half = f64v_lanes / 2; half > 0; half /= 2) {
    value = value + hone_swapped(value, half);
  }
  return value[0];
}

// Lane n holds lanes n and n ^ half added up: those of b where n has the bit `half`, else those of a.
static inline f32v hone_joined_sums(f32v a, f32v b, int half)
{
#if defined(__clang__)
  f32v out = a;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = (lane & half) != 0 ? b[lane] + b[lane ^ half] : a[lane] + a[lane ^ half];
  }
  return out;
#else
  const i32v of_b = (hone_ramp_f32v() & half) * (f32v_lanes / half);
  return __builtin_shuffle(a, b, hone_ramp_f32v() + of_b) + __builtin_shuffle(a, b, (hone_ramp_f32v() ^ half) + of_b);
#endif
}

static inline f64v hone_joined_sums(f64v a, f64v b, int half)
{
#if defined(__clang__)
  f64v out = a;
  for (int lane = 0; lane < f64v_lanes; ++lane) {
    out[lane] = (lane & half) != 0 ? b[lane] + b[lane ^ half] : a[lane] + a[lane ^ half];
  }
  return out;
#else
  const i64v of_b = (hone_ramp_f64v() & half) * (f64v_lanes / half);
  return __builtin_shuffle(a, b, hone_ramp_f64v() + of_b) + __builtin_shuffle(a, b, (hone_ramp_f64v() ^ half) + of_b);
#endif
}

// The sums of a, b, c and d, in lanes 0 to 3; where there are only two lanes, those of a and b.
static inline f32v hone_sums(f32v a, f32v b, f32v c, f32v d)
{
  f32v out = hone_joined_sums(a, b, 1);
  if (f32v_lanes > 2) {
    out = hone_joined_sums(out, hone_joined_sums(c, d, 1), 2);
  }
  HONE_UNROLL(8)
  for (int half = 4; half < f32v_lanes; half *= 2) {
    out = out + hone_swapped(out, half);
  }
  return out;
}

static inline f64v hone_sums(f64v a, f64v b, f64v c, f64v d)
{
  f64v out = hone_joined_sums(a, b, 1);
  if (f64v_lanes > 2) {
    out = hone_joined_sums(out, hone_joined_sums(c, d, 1), 2);
  }
  HONE_UNROLL(8)
  for (int half = 4; half < f64v_lanes; half *= 2) {
    out = out + hone_swapped(out, half);
  }
  return out;
}

static inline float hone_product(f32v value)
{
  HONE_UNROLL(8)
  for (int half = f32v_lanes / 2; half > 0; half /= 2) {
    value = value * hone_swapped(value, half);
  }
  return value[0];
}

static inline double hone_product(f64v value)
{
  HONE_UNROLL(8)
  for (int half = f64v_lanes / 2; half > 0; half /= 2) {
    value = value * hone_swapped(value, half);
  }
  return value[0];
}

static inline float hone_largest(f32v value)
{
  HONE_UNROLL(8)
  for (int half = f32v_lanes / 2; half > 0; half /= 2) {
    value = hone_max(value, hone_swapped(value, half));
  }
  return value[0];
}

static inline double hone_largest(f64v value)
{
  HONE_UNROLL(8)
  for (int half = f64v_lanes / 2; half > 0; half /= 2) {
    value = hone_max(value, hone_swapped(value, half));
  }
  return value[0];
}

static inline float hone_smallest(f32v value)
{
  HONE_UNROLL(8)
  for (int half = f32v_lanes / 2; half > 0; half /= 2) {
    value = hone_min(value, hone_swapped(value, half));
  }
  return value[0];
}

static inline double hone_smallest(f64v value)
{
  HONE_UNROLL(8)
  for (int half = f64v_lanes / 2; half > 0; half /= 2) {
    value = hone_min(value, hone_swapped(value, half));
  }
  return value[0];
}

// Lane n takes the place of lane n + by; the first lanes become `first`.
static inline f32v hone_moved(f32v value, int by, float first)
{
#if defined(__clang__)
  f32v out = hone_broadcast(first);
  for (int lane = by; lane < f32v_lanes; ++lane) {
    out[lane] = value[lane - by];
  }
  return out;
#else
  return __builtin_shuffle(value, hone_broadcast(first), hone_ramp_f32v() - by);
#endif
}

static inline f64v hone_moved(f64v value, int by, double first)
{
#if defined(__clang__)
  f64v out = hone_broadcast(first);
  for (int lane = by; lane < f64v_lanes; ++lane) {
    out[lane] = value[lane - by];
  }
  return out;
#else
  return __builtin_shuffle(value, hone_broadcast(first), hone_ramp_f64v() - by);
#endif
}

// Each lane joined with all lanes before it.
static inline f32v hone_running_sum(f32v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f32v_lanes; by *= 2) {
    value += hone_moved(value, by, 0);
  }
  return value;
}

static inline f64v hone_running_sum(f64v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f64v_lanes; by *= 2) {
    value += hone_moved(value, by, 0);
  }
  return value;
}

static inline f32v hone_running_product(f32v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f32v_lanes; by *= 2) {
    value *= hone_moved(value, by, 1);
  }
  return value;
}

static inline f64v hone_running_product(f64v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f64v_lanes; by *= 2) {
    value *= hone_moved(value, by, 1);
  }
  return value;
}

static inline f32v hone_running_max(f32v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f32v_lanes; by *= 2) {
    value = hone_max(value, hone_moved(value, by, -INFINITY));
  }
  return value;
}

static inline f64v hone_running_max(f64v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f64v_lanes; by *= 2) {
    value = hone_max(value, hone_moved(value, by, -INFINITY));
  }
  return value;
}

static inline f32v hone_running_min(f32v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f32v_lanes; by *= 2) {
    value = hone_min(value, hone_moved(value, by, INFINITY));
  }
  return value;
}

static inline f64v hone_running_min(f64v value)
{
  HONE_UNROLL(8)
  for (int by = 1; by < f64v_lanes; by *= 2) {
    value = hone_min(value, hone_moved(value, by, INFINITY));
  }
  return value;
}

// The last lane in all lanes.
static inline f32v hone_last(f32v value)
{
#if defined(__clang__)
  return hone_broadcast(value[f32v_lanes - 1]);
#else
  return __builtin_shuffle(value, hone_ramp_f32v() * 0 + (f32v_lanes - 1));
#endif
}

static inline f64v hone_last(f64v value)
{
#if defined(__clang__)
  return hone_broadcast(value[f64v_lanes - 1]);
#else
  return __builtin_shuffle(value, hone_ramp_f64v() * 0 + (f64v_lanes - 1));
#endif
}

// The largest of the numbers seen and where it was first seen, lane by lane. A NaN is never the largest.
typedef struct hone_best_f32v {
  f32v value; // NaN: nothing was seen yet
  i32v at;    // below 2^31
} hone_best_f32v;

typedef struct hone_best_f64v {
  f64v value; // NaN: nothing was seen yet
  i64v at;    // the column
} hone_best_f64v;

static inline hone_best_f32v hone_nothing_f32v(void)
{
  const f32v zero = {};
  const hone_best_f32v out = {zero + (float)NAN, hone_bits(zero)};
  return out;
}

static inline hone_best_f64v hone_nothing_f64v(void)
{
  const f64v zero = {};
  const hone_best_f64v out = {zero + (double)NAN, hone_bits(zero)};
  return out;
}

// The columns from `first` on. What is larger than nothing counts, minus infinity too.
static inline void hone_take_f32v(hone_best_f32v* best, f32v seen, int64_t first)
{
  const i32v better = (seen > best->value) | ((best->value != best->value) & (seen == seen));
  best->value = hone_select(better, seen, best->value);
  best->at = hone_bits(hone_select(better, (f32v)(hone_ramp_f32v() + (int32_t)first), (f32v)best->at));
}

static inline void hone_take_f64v(hone_best_f64v* best, f64v seen, int64_t first)
{
  const i64v better = (seen > best->value) | ((best->value != best->value) & (seen == seen));
  best->value = hone_select(better, seen, best->value);
  best->at = hone_bits(hone_select(better, (f64v)(hone_ramp_f64v() + (int64_t)first), (f64v)best->at));
}

// Takes in what another one has seen.
static inline void hone_join_f32v(hone_best_f32v* best, hone_best_f32v other)
{
  const i32v earlier = (other.value == best->value) & (other.at < best->at);
  const i32v better = (other.value > best->value) | earlier | (best->value != best->value);
  best->value = hone_select(better, other.value, best->value);
  best->at = hone_bits(hone_select(better, (f32v)other.at, (f32v)best->at));
}

static inline void hone_join_f64v(hone_best_f64v* best, hone_best_f64v other)
{
  const i64v earlier = (other.value == best->value) & (other.at < best->at);
  const i64v better = (other.value > best->value) | earlier | (best->value != best->value);
  best->value = hone_select(better, other.value, best->value);
  best->at = hone_bits(hone_select(better, (f64v)other.at, (f64v)best->at));
}

// The first of the largest, or -1 where nothing was seen.
static inline int64_t hone_position_f32v(hone_best_f32v best)
{
  HONE_UNROLL(8)
  for (int half = f32v_lanes / 2; half > 0; half /= 2) {
    const hone_best_f32v other = {hone_swapped(best.value, half), hone_bits(hone_swapped((f32v)best.at, half))};
    hone_join_f32v(&best, other);
  }
  return best.value[0] == best.value[0] ? (int64_t)best.at[0] : -1;
}

static inline int64_t hone_position_f64v(hone_best_f64v best)
{
  HONE_UNROLL(8)
  for (int half = f64v_lanes / 2; half > 0; half /= 2) {
    const hone_best_f64v other = {hone_swapped(best.value, half), hone_bits(hone_swapped((f64v)best.at, half))};
    hone_join_f64v(&best, other);
  }
  return best.value[0] == best.value[0] ? (int64_t)best.at[0] : -1;
}

// Stores past the caches, for what is not read again soon: where `to` is aligned like a vector; elsewhere plain
// stores. Others see what it wrote when the launch is over, as with any store: Hone fences there, in shipped code, too.
static inline void hone_stream(float* to, f32v value)
{
  if ((uintptr_t)to % sizeof value != 0) {
    hone_store(to, value);
    return;
  }
#if defined(HONE_PLAIN_ACCESSES)
  hone_store(to, value);
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (f32v*)to);
#elif defined(__AVX512F__)
  __builtin_ia32_movntps512(to, value);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(to, value);
#else
  __builtin_ia32_movntps(to, value);
#endif
}

static inline void hone_stream(double* to, f64v value)
{
  if ((uintptr_t)to % sizeof value != 0) {
    hone_store(to, value);
    return;
  }
#if defined(HONE_PLAIN_ACCESSES)
  hone_store(to, value);
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (f64v*)to);
#elif defined(__AVX512F__)
  __builtin_ia32_movntpd512(to, value);
#elif defined(__AVX__)
  __builtin_ia32_movntpd256(to, value);
#else
  __builtin_ia32_movntpd(to, value);
#endif
}
