// What a candidate calls that was compiled to be watched: functions of the sanitizers, and of the C library where these
// touch memory that they are given. Each says what is touched, and does the rest of its work.
#pragma once

#include "backend/cpu/watch/watched_memory.h"

#include <cstddef>
#include <cstdint>

namespace hone::cpu {

// An access that a group makes. Defined by who runs groups; not inlined: its caller's frame lies above its own.
[[gnu::noinline]] void look(const volatile void* address, std::size_t size, Access access);
void look_from(const void* frame, const void* address, std::size_t size, Access access); // of a function above `frame`
bool may_be_atomic_read(const void* address); // groups of this launch may hand something on there
bool look_at_stack(const void* pointer);      // where a group moves its stack pointer: whether within its own stack
void look_at_jump(const void* target);        // where a group jumps
void find_overlap();                          // memcpy is asked to copy onto what it copies
void find_torn(std::size_t size);             // an atomic operation on an address that is no multiple of its size
bool is_watching();

// Before an atomic operation takes place: whatever others may have done by then.
void let_others_go_on();
bool is_way_due();                             // before any other access, too
std::uint64_t draw_below(std::uint64_t limit); // while a group is watched

// The linker's option that leads calls of the C library's functions here.
inline constexpr const char* k_wrap_option =
  "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=modf,--wrap=modff,--wrap=modfl,--wrap=frexp,"
  "--wrap=frexpf,--wrap=frexpl,--wrap=sincos,--wrap=sincosf,--wrap=sincosl,--wrap=remquo,--wrap=remquof,"
  "--wrap=remquol,--wrap=lgamma_r,--wrap=lgammaf_r,--wrap=lgammal_r";

} // namespace hone::cpu
