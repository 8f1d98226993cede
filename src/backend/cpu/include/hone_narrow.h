// Vectors of f32 from narrower elements in memory, and f16, bf16 and bytes stored from them: what other types than f32
// hold, computed in f32. Every element has one value in f32; nothing is rounded on the way in.
//
// Written once for C and C++, and written out for every type: shipped code takes the functions that it names. GCC
// converts vectors of narrow elements one by one; so the machine's instructions are named where it has them.
#pragma once

#include <stdint.h>
#include <string.h>

typedef int8_t hone_row_of_i8 __attribute__((vector_size(HONE_VECTOR_BYTES / 4)));

typedef uint8_t hone_row_of_u8 __attribute__((vector_size(HONE_VECTOR_BYTES / 4)));

typedef int16_t hone_row_of_i16 __attribute__((vector_size(HONE_VECTOR_BYTES / 2)));

#if defined(__AVX2__)

typedef char hone_sixteen_bytes __attribute__((vector_size(16)));

typedef short hone_eight_halves __attribute__((vector_size(16)));

typedef short hone_sixteen_halves __attribute__((vector_size(32)));

#endif

#if defined(__AVX512F__)

typedef int hone_sixteen_words __attribute__((vector_size(64)));

#endif

static inline hone_i32v hone_whole_i8(hone_row_of_i8 row)
{
#if defined(__clang__)
  return __builtin_convertvector(row, hone_i32v);
#elif defined(__AVX512F__)
  const hone_sixteen_words zero = {0};
  return (hone_i32v)__builtin_ia32_pmovsxbd512_mask((hone_sixteen_bytes)row, zero, (uint16_t)-1);
#elif defined(__AVX2__)
  hone_sixteen_bytes lanes = {0};
  memcpy(&lanes, &row, sizeof row);
  return (hone_i32v)__builtin_ia32_pmovsxbd256(lanes);
#else
  hone_i32v out = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = row[lane];
  }
  return out;
#endif
}

static inline f32v hone_widened_i8(hone_row_of_i8 row)
{
  return __builtin_convertvector(hone_whole_i8(row), f32v);
}

static inline f32v hone_load_part_i8(const int8_t* from, int64_t count)
{
  hone_row_of_i8 row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      row[lane] = from[lane];
    }
  }
  return hone_widened_i8(row);
}

static inline f32v hone_load_i8(const int8_t* from)
{
  hone_row_of_i8 row;
  memcpy(&row, from, sizeof row);
  return hone_widened_i8(row);
}

static inline hone_i32v hone_whole_u8(hone_row_of_u8 row)
{
#if defined(__clang__)
  return __builtin_convertvector(row, hone_i32v);
#elif defined(__AVX512F__)
  const hone_sixteen_words zero = {0};
  return (hone_i32v)__builtin_ia32_pmovzxbd512_mask((hone_sixteen_bytes)row, zero, (uint16_t)-1);
#elif defined(__AVX2__)
  hone_sixteen_bytes lanes = {0};
  memcpy(&lanes, &row, sizeof row);
  return (hone_i32v)__builtin_ia32_pmovzxbd256(lanes);
#else
  hone_i32v out = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = row[lane];
  }
  return out;
#endif
}

static inline f32v hone_widened_u8(hone_row_of_u8 row)
{
  return __builtin_convertvector(hone_whole_u8(row), f32v);
}

static inline f32v hone_load_part_u8(const uint8_t* from, int64_t count)
{
  hone_row_of_u8 row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      row[lane] = from[lane];
    }
  }
  return hone_widened_u8(row);
}

static inline f32v hone_load_u8(const uint8_t* from)
{
  hone_row_of_u8 row;
  memcpy(&row, from, sizeof row);
  return hone_widened_u8(row);
}

static inline hone_i32v hone_whole_i16(hone_row_of_i16 row)
{
#if defined(__clang__)
  return __builtin_convertvector(row, hone_i32v);
#elif defined(__AVX512F__)
  const hone_sixteen_words zero = {0};
  return (hone_i32v)__builtin_ia32_pmovsxwd512_mask((hone_sixteen_halves)row, zero, (uint16_t)-1);
#elif defined(__AVX2__)
  hone_eight_halves lanes = {0};
  memcpy(&lanes, &row, sizeof row);
  return (hone_i32v)__builtin_ia32_pmovsxwd256(lanes);
#else
  hone_i32v out = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = row[lane];
  }
  return out;
#endif
}

static inline f32v hone_widened_i16(hone_row_of_i16 row)
{
  return __builtin_convertvector(hone_whole_i16(row), f32v);
}

static inline f32v hone_load_part_i16(const int16_t* from, int64_t count)
{
  hone_row_of_i16 row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      row[lane] = from[lane];
    }
  }
  return hone_widened_i16(row);
}

static inline f32v hone_load_i16(const int16_t* from)
{
  hone_row_of_i16 row;
  memcpy(&row, from, sizeof row);
  return hone_widened_i16(row);
}

static inline hone_i32v hone_whole_u16(hone_row_of_halves row)
{
#if defined(__clang__)
  return __builtin_convertvector(row, hone_i32v);
#elif defined(__AVX512F__)
  const hone_sixteen_words zero = {0};
  return (hone_i32v)__builtin_ia32_pmovzxwd512_mask((hone_sixteen_halves)row, zero, (uint16_t)-1);
#elif defined(__AVX2__)
  hone_eight_halves lanes = {0};
  memcpy(&lanes, &row, sizeof row);
  return (hone_i32v)__builtin_ia32_pmovzxwd256(lanes);
#else
  hone_i32v out = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    out[lane] = row[lane];
  }
  return out;
#endif
}

static inline f32v hone_widened_u16(hone_row_of_halves row)
{
  return __builtin_convertvector(hone_whole_u16(row), f32v);
}

static inline f32v hone_load_part_u16(const uint16_t* from, int64_t count)
{
  hone_row_of_halves row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      row[lane] = from[lane];
    }
  }
  return hone_widened_u16(row);
}

static inline f32v hone_load_u16(const uint16_t* from)
{
  hone_row_of_halves row;
  memcpy(&row, from, sizeof row);
  return hone_widened_u16(row);
}

// The bits of a bf16 are the upper half of those of a float.
static inline f32v hone_widened_bf16(hone_row_of_halves row)
{
  return (f32v)((hone_u32v)hone_whole_u16(row) << 16);
}

static inline f32v hone_load_part_bf16(const hone_bf16* from, int64_t count)
{
  hone_row_of_halves row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      row[lane] = from[lane].bits;
    }
  }
  return hone_widened_bf16(row);
}

static inline f32v hone_load_bf16(const hone_bf16* from)
{
  hone_row_of_halves row;
  memcpy(&row, from, sizeof row);
  return hone_widened_bf16(row);
}

static inline f32v hone_widened_f16(hone_row_of_halves row)
{
#if defined(__AVX512F__) && !defined(__clang__)
  const f32v zero = {0};
  return __builtin_ia32_vcvtph2ps512_mask((hone_sixteen_halves)row, zero, (uint16_t)-1, 4);
#elif defined(__AVX2__) && defined(__F16C__) && !defined(__AVX512F__)
  return __builtin_ia32_vcvtph2ps256((hone_eight_halves)row);
#else
  f32v out = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    hone_f16 element;
    const uint16_t bits = row[lane];
    memcpy(&element, &bits, sizeof element);
    out[lane] = (float)element;
  }
  return out;
#endif
}

static inline f32v hone_load_part_f16(const hone_f16* from, int64_t count)
{
  hone_row_of_halves row = {0};
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      uint16_t bits;
      memcpy(&bits, from + lane, sizeof bits);
      row[lane] = bits;
    }
  }
  return hone_widened_f16(row);
}

static inline f32v hone_load_f16(const hone_f16* from)
{
  hone_row_of_halves row;
  memcpy(&row, from, sizeof row);
  return hone_widened_f16(row);
}

// Of whole numbers between -128 and 255.
static inline hone_row_of_u8 hone_low_bytes(f32v value)
{
  const hone_i32v whole = __builtin_convertvector(value, hone_i32v);
#if defined(__AVX512F__) && !defined(__clang__)
  const hone_sixteen_bytes zero = {0};
  return (hone_row_of_u8)__builtin_ia32_pmovdb512_mask((hone_sixteen_words)whole, zero, (uint16_t)-1);
#else
  return __builtin_convertvector(whole, hone_row_of_u8);
#endif
}

static inline void hone_store_u8(uint8_t* to, f32v value)
{
  const hone_row_of_u8 row = hone_low_bytes(value);
  memcpy(to, &row, sizeof row);
}

static inline void hone_store_part_u8(uint8_t* to, f32v value, int64_t count)
{
  const hone_row_of_u8 row = hone_low_bytes(value);
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      to[lane] = row[lane];
    }
  }
}

static inline void hone_store_i8(int8_t* to, f32v value)
{
  hone_store_u8((uint8_t*)to, value);
}

static inline void hone_store_part_i8(int8_t* to, f32v value, int64_t count)
{
  hone_store_part_u8((uint8_t*)to, value, count);
}

// Stored to the nearest, ties to even; a NaN stays one.
static inline hone_row_of_halves hone_narrowed(f32v value)
{
  const hone_u32v bits = (hone_u32v)value;
  const hone_u32v odd = (bits >> 16) & 1;
  const hone_u32v nan = (hone_u32v)(value != value);
  const hone_u32v rounded = (nan & (bits | 0x400000)) | (~nan & (bits + 0x7fff + odd));
  return __builtin_convertvector(rounded >> 16, hone_row_of_halves);
}

static inline void hone_store_bf16(hone_bf16* to, f32v value)
{
  const hone_row_of_halves row = hone_narrowed(value);
  memcpy(to, &row, sizeof row);
}

static inline void hone_store_part_bf16(hone_bf16* to, f32v value, int64_t count)
{
  const hone_row_of_halves row = hone_narrowed(value);
  if (count >= f32v_lanes) {
    memcpy(to, &row, sizeof row);
    return;
  }
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      to[lane].bits = row[lane];
    }
  }
}

static inline hone_row_of_halves hone_halved(f32v value)
{
#if defined(__AVX512F__) && !defined(__clang__)
  const hone_sixteen_halves zero = {0};
  return (hone_row_of_halves)__builtin_ia32_vcvtps2ph512_mask(value, 8, zero, (uint16_t)-1);
#else
  hone_row_of_halves out;
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    const hone_f16 element = (hone_f16)value[lane];
    uint16_t bits;
    memcpy(&bits, &element, sizeof bits);
    out[lane] = bits;
  }
  return out;
#endif
}

static inline void hone_store_f16(hone_f16* to, f32v value)
{
  const hone_row_of_halves row = hone_halved(value);
  memcpy(to, &row, sizeof row);
}

static inline void hone_store_part_f16(hone_f16* to, f32v value, int64_t count)
{
  const hone_row_of_halves row = hone_halved(value);
  for (int lane = 0; lane < f32v_lanes; ++lane) {
    if (lane < count) {
      const uint16_t bits = row[lane];
      memcpy(to + lane, &bits, sizeof bits);
    }
  }
}
