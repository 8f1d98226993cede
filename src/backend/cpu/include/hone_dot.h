// Sums of products of narrow numbers for device code: neighbours along the sum lie together in one lane of 32 bits.
//
//   hone_i32v  a vector of f32v_lanes lanes of 32 bits: sums, or groups of four bytes or of two bf16
//
// Written once for C and C++. Everything works with AVX-512, AVX2 and plain x86-64 (or any other target of GCC); where
// the machine has instructions for dot products (VNNI, BF16), they are used. Sums of bytes are exact and wrap around.
// Long because every operation is written for three instruction sets.
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__AVX512VNNI__) && !defined(__clang__)
#define HONE_DOT_BYTES 512
#elif (defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))) && !defined(__clang__)
#define HONE_DOT_BYTES 256
#else
#define HONE_DOT_BYTES 0
#endif

#if defined(__AVX512BF16__) && HONE_VECTOR_BYTES == 64 && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define HONE_DOT_BF16 1
#else
#define HONE_DOT_BF16 0
#endif

typedef int32_t hone_i32v __attribute__((vector_size(HONE_VECTOR_BYTES)));

typedef uint32_t hone_u32v __attribute__((vector_size(HONE_VECTOR_BYTES)));

typedef int16_t hone_i16v __attribute__((vector_size(HONE_VECTOR_BYTES)));

typedef uint16_t hone_row_of_halves __attribute__((vector_size(HONE_VECTOR_BYTES / 2)));

typedef uint8_t hone_bytes __attribute__((vector_size(16)));

typedef uint16_t hone_halves __attribute__((vector_size(16)));

// Whole vectors of groups; the address need not be aligned.
static inline hone_i32v hone_load_groups(const void* from)
{
  hone_i32v out;
  memcpy(&out, from, sizeof out);
  return out;
}

// The same for sums, of which with `part` only the first `count` lanes are touched, and the rest is zero.
static inline hone_i32v hone_load_i32(const int32_t* from)
{
  hone_i32v out;
  memcpy(&out, from, sizeof out);
  return out;
}

static inline void hone_store_i32(int32_t* to, hone_i32v value)
{
  memcpy(to, &value, sizeof value);
}

static inline hone_i32v hone_load_part_i32(const int32_t* from, int64_t count)
{
  int32_t lanes[f32v_lanes] = {0};
  if (count >= f32v_lanes) {
    return hone_load_i32(from);
  }
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      lanes[lane] = from[lane];
    }
  }
  return hone_load_i32(lanes);
}

static inline void hone_store_part_i32(int32_t* to, hone_i32v value, int64_t count)
{
  int32_t lanes[f32v_lanes];
  if (count >= f32v_lanes) {
    hone_store_i32(to, value);
    return;
  }
  hone_store_i32(lanes, value);
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      to[lane] = lanes[lane];
    }
  }
}

static inline hone_i32v hone_broadcast_i32(int32_t value)
{
  const hone_i32v zero = {0};
  return value + zero;
}

// Wraps around, as a sum in unsigned lanes does.
static inline hone_i32v hone_add_i32(hone_i32v a, hone_i32v b)
{
  return (hone_i32v)((hone_u32v)a + (hone_u32v)b);
}

// One group of four bytes (or two bf16) in every lane; of a part only the first `bytes` are read, the rest is zero.
static inline hone_i32v hone_broadcast_group(const void* from)
{
  int32_t group;
  memcpy(&group, from, sizeof group);
  return hone_broadcast_i32(group);
}

static inline hone_i32v hone_broadcast_part(const void* from, int64_t bytes)
{
  int32_t group = 0;
  for (int at = 0; at < 4; ++at) {
    if (at < bytes) {
      group |= (int32_t)((uint32_t)((const uint8_t*)from)[at] << (8 * at));
    }
  }
  return hone_broadcast_i32(group);
}

// Every byte's highest bit turned: signed ones become 128 larger and unsigned, unsigned ones 128 smaller and signed.
static inline hone_i32v hone_flip_signs(hone_i32v groups)
{
  const hone_u32v zero = {0};
  return (hone_i32v)((hone_u32v)groups ^ (zero + 0x80808080u));
}

// Products of neighbouring halves, added: of bytes as halves they fit easily.
#if defined(__AVX512BW__) && HONE_VECTOR_BYTES == 64 && !defined(__clang__)

static inline hone_i32v hone_dot_halves(hone_i16v a, hone_i16v b)
{
  const hone_i32v zero = {0};
  return (hone_i32v)__builtin_ia32_pmaddwd512_mask(a, b, zero, 0xffff);
}

#elif defined(__AVX2__) && HONE_VECTOR_BYTES == 32

static inline hone_i32v hone_dot_halves(hone_i16v a, hone_i16v b)
{
  return (hone_i32v)__builtin_ia32_pmaddwd256(a, b);
}

#elif defined(__SSE2__) && HONE_VECTOR_BYTES == 16

static inline hone_i32v hone_dot_halves(hone_i16v a, hone_i16v b)
{
  return (hone_i32v)__builtin_ia32_pmaddwd128(a, b);
}

#else

static inline hone_i32v hone_dot_halves(hone_i16v a, hone_i16v b)
{
  const hone_i32v first_a = ((hone_i32v)((hone_u32v)a << 16)) >> 16;
  const hone_i32v first_b = ((hone_i32v)((hone_u32v)b << 16)) >> 16;
  return first_a * first_b + ((hone_i32v)a >> 16) * ((hone_i32v)b >> 16);
}

#endif

// sum + u0 * s0 + u1 * s1 + u2 * s2 + u3 * s3 in every lane: the bytes of `u` from 0 to 255, those of `s` from -128 to
// 127. Exact, and wraps around.
#if HONE_DOT_BYTES == 512 && HONE_VECTOR_BYTES == 64

static inline hone_i32v hone_dot_fours(hone_i32v sum, hone_i32v u, hone_i32v s)
{
  return (hone_i32v)__builtin_ia32_vpdpbusd_v16si(sum, u, s);
}

#elif HONE_DOT_BYTES >= 256 && HONE_VECTOR_BYTES == 32

static inline hone_i32v hone_dot_fours(hone_i32v sum, hone_i32v u, hone_i32v s)
{
  return (hone_i32v)__builtin_ia32_vpdpbusd_v8si(sum, u, s);
}

#else

static inline hone_i32v hone_dot_fours(hone_i32v sum, hone_i32v u, hone_i32v s)
{
  const hone_i16v even_u = (hone_i16v)(u & 0x00ff00ff);
  const hone_i16v odd_u = (hone_i16v)(((hone_u32v)u >> 8) & 0x00ff00ff);
  const hone_i16v even_s = (hone_i16v)((hone_u32v)s << 8) >> 8;
  const hone_i16v odd_s = (hone_i16v)s >> 8;
  const hone_i32v both = hone_dot_halves(even_u, even_s) + hone_dot_halves(odd_u, odd_s);
  return hone_add_i32(sum, both);
}

#endif

// sum + a0 * b0 + a1 * b1 in every lane, of pairs of bf16: each product exact, each addition rounded. The machine's
// instruction takes numbers below the smallest normal one for zero.
#if HONE_DOT_BF16 && __GNUC__ == 12

typedef short hone_bf16_lanes __attribute__((vector_size(64)));

#elif HONE_DOT_BF16

typedef __bf16 hone_bf16_lanes __attribute__((vector_size(64)));

#endif

#if HONE_DOT_BF16

static inline f32v hone_dot_pairs(f32v sum, hone_i32v a, hone_i32v b)
{
  return __builtin_ia32_dpbf16ps_v16sf(sum, (hone_bf16_lanes)a, (hone_bf16_lanes)b);
}

#else

static inline f32v hone_dot_pairs(f32v sum, hone_i32v a, hone_i32v b)
{
  const f32v first_a = (f32v)((hone_u32v)a << 16);
  const f32v first_b = (f32v)((hone_u32v)b << 16);
  const f32v second_a = (f32v)((hone_u32v)a & 0xffff0000u);
  const f32v second_b = (f32v)((hone_u32v)b & 0xffff0000u);
  sum += first_a * first_b;
  return sum + second_a * second_b;
}

#endif

static inline hone_halves hone_low_halves(hone_halves a, hone_halves b)
{
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline hone_halves hone_high_halves(hone_halves a, hone_halves b)
{
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline void hone_store_bytes(void* to, int64_t offset, hone_bytes value)
{
  memcpy((uint8_t*)to + offset, &value, sizeof value);
}

// Sixteen bytes of a row, zeros beyond the first `bytes`.
static inline hone_bytes hone_row_part(const void* from, int64_t bytes)
{
  hone_bytes row = {0};
  if (bytes >= 16) {
    memcpy(&row, from, sizeof row);
    return row;
  }
  for (int at = 0; at < 16; ++at) {
    if (at < bytes) {
      row[at] = ((const uint8_t*)from)[at];
    }
  }
  return row;
}

// Fours along the sum from a matrix whose rows follow each other along the sum, `stride` bytes apart: lane c gets
// column c of four rows, each byte with `flip` exclusive-or, zeros beyond the first `rows` and `columns`. Sixteen
// columns at a time.
static inline void hone_pack_fours(void* to, const void* from, int64_t stride, int64_t rows, int64_t columns,
                                   uint8_t flip)
{
  const uint8_t* const at = (const uint8_t*)from;
  // The rows of later groups: hardware does not follow strides of a page and more.
  __builtin_prefetch(at + 32 * stride);
  __builtin_prefetch(at + 33 * stride);
  __builtin_prefetch(at + 34 * stride);
  __builtin_prefetch(at + 35 * stride);
  const hone_bytes a = hone_row_part(at, columns);
  const hone_bytes b = hone_row_part(at + stride, rows > 1 ? columns : 0);
  const hone_bytes c = hone_row_part(at + 2 * stride, rows > 2 ? columns : 0);
  const hone_bytes d = hone_row_part(at + 3 * stride, rows > 3 ? columns : 0);
  const hone_bytes low_ab = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const hone_bytes high_ab =
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  const hone_bytes low_cd = __builtin_shufflevector(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const hone_bytes high_cd =
    __builtin_shufflevector(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  hone_store_bytes(to, 0, (hone_bytes)hone_low_halves((hone_halves)low_ab, (hone_halves)low_cd) ^ flip);
  hone_store_bytes(to, 16, (hone_bytes)hone_high_halves((hone_halves)low_ab, (hone_halves)low_cd) ^ flip);
  hone_store_bytes(to, 32, (hone_bytes)hone_low_halves((hone_halves)high_ab, (hone_halves)high_cd) ^ flip);
  hone_store_bytes(to, 48, (hone_bytes)hone_high_halves((hone_halves)high_ab, (hone_halves)high_cd) ^ flip);
}

#if HONE_VECTOR_BYTES == 64

typedef uint8_t hone_wide_bytes __attribute__((vector_size(64)));

typedef uint16_t hone_wide_halves __attribute__((vector_size(64)));

typedef uint64_t hone_wide_words __attribute__((vector_size(64)));

static inline hone_wide_bytes hone_wide_row(const void* from)
{
  hone_wide_bytes row;
  memcpy(&row, from, sizeof row);
  return row;
}

// Neighbours of two rows side by side, of the lower and of the upper half of each piece of sixteen bytes.
static inline hone_wide_bytes hone_low_of_pieces(hone_wide_bytes a, hone_wide_bytes b)
{
  return __builtin_shufflevector(a, b, 0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80, 17, 81, 18, 82,
                                 19, 83, 20, 84, 21, 85, 22, 86, 23, 87, 32, 96, 33, 97, 34, 98, 35, 99, 36, 100, 37,
                                 101, 38, 102, 39, 103, 48, 112, 49, 113, 50, 114, 51, 115, 52, 116, 53, 117, 54, 118,
                                 55, 119);
}

static inline hone_wide_bytes hone_high_of_pieces(hone_wide_bytes a, hone_wide_bytes b)
{
  return __builtin_shufflevector(a, b, 8, 72, 9, 73, 10, 74, 11, 75, 12, 76, 13, 77, 14, 78, 15, 79, 24, 88, 25, 89, 26,
                                 90, 27, 91, 28, 92, 29, 93, 30, 94, 31, 95, 40, 104, 41, 105, 42, 106, 43, 107, 44,
                                 108, 45, 109, 46, 110, 47, 111, 56, 120, 57, 121, 58, 122, 59, 123, 60, 124, 61, 125,
                                 62, 126, 63, 127);
}

static inline hone_wide_words hone_low_halves_of_pieces(hone_wide_bytes a, hone_wide_bytes b)
{
  return (hone_wide_words)__builtin_shufflevector((hone_wide_halves)a, (hone_wide_halves)b, 0, 32, 1, 33, 2, 34, 3, 35,
                                                  8, 40, 9, 41, 10, 42, 11, 43, 16, 48, 17, 49, 18, 50, 19, 51, 24, 56,
                                                  25, 57, 26, 58, 27, 59);
}

static inline hone_wide_words hone_high_halves_of_pieces(hone_wide_bytes a, hone_wide_bytes b)
{
  return (hone_wide_words)__builtin_shufflevector((hone_wide_halves)a, (hone_wide_halves)b, 4, 36, 5, 37, 6, 38, 7, 39,
                                                  12, 44, 13, 45, 14, 46, 15, 47, 20, 52, 21, 53, 22, 54, 23, 55, 28,
                                                  60, 29, 61, 30, 62, 31, 63);
}

// hone_pack_fours of 64 whole columns of four rows.
static inline void hone_pack_fours_wide(void* to, const void* from, int64_t stride, uint8_t flip)
{
  const uint8_t* const at = (const uint8_t*)from;
  __builtin_prefetch(at + 32 * stride);
  __builtin_prefetch(at + 33 * stride);
  __builtin_prefetch(at + 34 * stride);
  __builtin_prefetch(at + 35 * stride);
  const hone_wide_bytes a = hone_wide_row(at);
  const hone_wide_bytes b = hone_wide_row(at + stride);
  const hone_wide_bytes c = hone_wide_row(at + 2 * stride);
  const hone_wide_bytes d = hone_wide_row(at + 3 * stride);
  const hone_wide_bytes low_ab = hone_low_of_pieces(a, b);
  const hone_wide_bytes high_ab = hone_high_of_pieces(a, b);
  const hone_wide_bytes low_cd = hone_low_of_pieces(c, d);
  const hone_wide_bytes high_cd = hone_high_of_pieces(c, d);
  // Each holds four columns of every piece of sixteen: the first four, the next, and so on.
  const hone_wide_words first = hone_low_halves_of_pieces(low_ab, low_cd);
  const hone_wide_words second = hone_high_halves_of_pieces(low_ab, low_cd);
  const hone_wide_words third = hone_low_halves_of_pieces(high_ab, high_cd);
  const hone_wide_words fourth = hone_high_halves_of_pieces(high_ab, high_cd);
  const hone_wide_words front_low = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
  const hone_wide_words front_high = __builtin_shufflevector(third, fourth, 0, 1, 2, 3, 8, 9, 10, 11);
  const hone_wide_words back_low = __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
  const hone_wide_words back_high = __builtin_shufflevector(third, fourth, 4, 5, 6, 7, 12, 13, 14, 15);
  const hone_wide_bytes groups[4] = {
    (hone_wide_bytes)__builtin_shufflevector(front_low, front_high, 0, 1, 4, 5, 8, 9, 12, 13) ^ flip,
    (hone_wide_bytes)__builtin_shufflevector(front_low, front_high, 2, 3, 6, 7, 10, 11, 14, 15) ^ flip,
    (hone_wide_bytes)__builtin_shufflevector(back_low, back_high, 0, 1, 4, 5, 8, 9, 12, 13) ^ flip,
    (hone_wide_bytes)__builtin_shufflevector(back_low, back_high, 2, 3, 6, 7, 10, 11, 14, 15) ^ flip};
  memcpy(to, groups, sizeof groups);
}

#endif

// hone_pack_fours for a strip of `width` columns, of which the first `columns` are there; whole sixteens are written.
static inline void hone_pack_strip_fours(void* to, const void* from, int64_t stride, int64_t rows, int64_t width,
                                         int64_t columns, uint8_t flip)
{
  int64_t column = 0;
#if HONE_VECTOR_BYTES == 64
  for (; rows >= 4 && column + 64 <= width && column + 64 <= columns; column += 64) {
    hone_pack_fours_wide((uint8_t*)to + column * 4, (const uint8_t*)from + column, stride, flip);
  }
#endif
  for (; column < width; column += 16) {
    hone_pack_fours((uint8_t*)to + column * 4, (const uint8_t*)from + column, stride, rows, columns - column, flip);
  }
}

// Pairs of bf16 in the same way, eight columns at a time.
static inline void hone_pack_pairs(void* to, const void* from, int64_t stride, int64_t rows, int64_t columns)
{
  __builtin_prefetch((const uint8_t*)from + 16 * stride);
  __builtin_prefetch((const uint8_t*)from + 17 * stride);
  const hone_halves a = (hone_halves)hone_row_part(from, 2 * columns);
  const hone_halves b = (hone_halves)hone_row_part((const uint8_t*)from + stride, rows > 1 ? 2 * columns : 0);
  hone_store_bytes(to, 0, (hone_bytes)hone_low_halves(a, b));
  hone_store_bytes(to, 16, (hone_bytes)hone_high_halves(a, b));
}

// The same for a strip of `width` columns; whole eights are written.
static inline void hone_pack_strip_pairs(void* to, const void* from, int64_t stride, int64_t rows, int64_t width,
                                         int64_t columns)
{
  for (int64_t column = 0; column < width; column += 8) {
    hone_pack_pairs((uint8_t*)to + column * 4, (const uint8_t*)from + column * 2, stride, rows, columns - column);
  }
}

// Groups whose members are neighbours in memory already: `columns` of them, `stride` bytes apart, of which the first
// `bytes` count; `places` are written.
static inline void hone_pack_columns(void* to, const void* from, int64_t stride, int64_t bytes, int64_t columns,
                                     int64_t places, uint32_t flip)
{
  for (int64_t place = 0; place < places; ++place) {
    uint32_t group = 0;
    if (place < columns) {
      memcpy(&group, (const uint8_t*)from + place * stride, bytes >= 4 ? 4 : (size_t)bytes);
    }
    group ^= flip;
    memcpy((uint8_t*)to + 4 * place, &group, sizeof group);
  }
}

// Sums of bytes.
static inline int32_t hone_sum_lanes(hone_i32v value)
{
  int32_t sum = 0;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    sum += value[lane];
  }
  return sum;
}

static inline int32_t hone_sum_i8(const int8_t* from, int64_t count)
{
  const hone_i32v ones = hone_broadcast_i32(0x01010101);
  hone_i32v sums = {0};
  int64_t at = 0;
  for (; at + HONE_VECTOR_BYTES <= count; at += HONE_VECTOR_BYTES) {
    sums = hone_dot_fours(sums, ones, hone_load_groups(from + at));
  }
  int32_t sum = hone_sum_lanes(sums);
  for (; at < count; ++at) {
    sum += from[at];
  }
  return sum;
}

static inline int32_t hone_sum_u8(const uint8_t* from, int64_t count)
{
  const hone_i32v ones = hone_broadcast_i32(0x01010101);
  hone_i32v sums = {0};
  int64_t at = 0;
  for (; at + HONE_VECTOR_BYTES <= count; at += HONE_VECTOR_BYTES) {
    sums = hone_dot_fours(sums, hone_load_groups(from + at), ones);
  }
  int32_t sum = hone_sum_lanes(sums);
  for (; at < count; ++at) {
    sum += from[at];
  }
  return sum;
}

// The same over groups of four that lie `stride` bytes apart, as far as they hold `count` elements (zeros behind them).
static inline int32_t hone_sum_groups(const void* from, int64_t stride, int64_t count, int is_signed)
{
  int32_t sum = 0;
  for (int64_t at = 0; at < count; at += 4) {
    const uint8_t* const group = (const uint8_t*)from + at / 4 * stride;
    for (int member = 0; member < 4; ++member) {
      sum += is_signed ? (int8_t)group[member] : group[member];
    }
  }
  return sum;
}
