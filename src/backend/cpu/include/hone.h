// What a CPU kernel sees. Included before device.cpp; nothing here needs a library.
//
// A kernel is a function of its work-group index:
//
//   extern "C" void NAME(const hone_group* group, arguments...);
//
// with the arguments in the order of the launch's `args`: `const T*` for inputs, `T*` for outputs and scratch
// buffers, `int64_t` for sizes and repeat_index. It is called once per work-group, in any order, perhaps on several
// threads at a time; it keeps no state between calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hone_group {
  int64_t id[3];        // this group, x first: 0 <= id[i] < count[i]
  int64_t count[3];     // the launch's grid
  void* shared;         // the launch's `shared` bytes, private to the calling worker, 64-byte aligned, not cleared
  int64_t shared_bytes;
};

// Element types that C++ has no standard name for.
using hone_f16 = _Float16;

struct hone_bf16 {
  uint16_t bits; // the upper half of a float
};

static inline float hone_to_float(hone_bf16 value)
{
  return __builtin_bit_cast(float, (uint32_t)value.bits << 16);
}

// To the nearest, ties to even; a NaN stays one.
static inline hone_bf16 hone_to_bf16(float value)
{
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t rounded = value != value ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1);
  return {(uint16_t)(rounded >> 16)};
}

#include "hone_vector.h"
#include "hone_dot.h"
#include "hone_narrow.h"
