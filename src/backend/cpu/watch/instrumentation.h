// Instruments a candidate's assembly text, as the compiler wrote it for the timed code: inserts a call before every
// instruction that may access memory, moves the stack pointer or jumps indirectly. Accesses by plain code, intrinsics
// and inline assembly are seen alike. The text is read as compilers write it. If a call is missing because it is
// written differently, verify_instrumentation.h finds that. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// The function that is called (access_callback.h). It changes no register and no flag; the instruction lies
// k_callback_distance bytes after its return address.
inline constexpr std::string_view k_callback_symbol = "hone_access_callback";
inline constexpr int k_red_zone = 128; // bytes below the stack pointer that a function may use; the call skips them
inline constexpr int k_callback_distance = 8;

std::string instrumented_assembly(std::string_view assembly);

} // namespace hone::backend::cpu
