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

#include "hone_vector.h"
