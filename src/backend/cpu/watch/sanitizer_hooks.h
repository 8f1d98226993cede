// Hooks that instrumented candidates call: functions of the sanitizers, and wrappers of C library functions that access
// memory through pointers. Each records the accesses, then does the work.
#pragma once

#include "backend/cpu/watch/watched_memory.h"

#include <cstddef>
#include <cstdint>

namespace hone::backend::cpu {

// Defined by the program that runs groups (inspector/record_hooks.cpp).

// An access of the current group. Not inlined: the caller's frame must lie above its own.
[[gnu::noinline]] void record_access(const volatile void* address, std::size_t size, Access access);
// The same for an access of a function whose frame lies above `frame`.
void record_access_from(const void* frame, const void* address, std::size_t size, Access access);
bool may_be_atomic_read(const void* address); // whether other groups of this launch may change it atomically
bool record_stack_move(
  const void* pointer); // the new stack pointer; returns whether the stack below may be overwritten
// The stack pointer that the current group stored at `place`; null if that is outside its stack.
const void* stack_stored_at(const void* place);
void record_jump(const void* target);
void report_overlap();              // memcpy with overlapping source and destination
void report_torn(std::size_t size); // an atomic operation that is not aligned to its size
bool is_watching();                 // whether a group runs whose accesses are recorded

// Before an atomic operation: other interleaved groups may run now.
void yield_to_other_groups();
bool is_yield_due();                           // also before other accesses
std::uint64_t draw_below(std::uint64_t limit); // random; while a group is watched

// Linker option that redirects calls of the C library's functions to the wrappers.
inline constexpr const char* k_wrap_option =
  "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=modf,--wrap=modff,--wrap=modfl,--wrap=frexp,"
  "--wrap=frexpf,--wrap=frexpl,--wrap=sincos,--wrap=sincosf,--wrap=sincosl,--wrap=remquo,--wrap=remquof,"
  "--wrap=remquol,--wrap=lgamma_r,--wrap=lgammaf_r,--wrap=lgammal_r";

} // namespace hone::backend::cpu
