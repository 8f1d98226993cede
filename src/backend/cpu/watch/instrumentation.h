// Assembly text of a candidate, as the compiler writes it for the code that is timed, with a call before every
// instruction that may touch memory, moves the stack pointer or jumps to where a register says: whatever an access was
// made by (plain code, intrinsics, inline assembly), it is seen. The text is read as compilers write it; where it is
// written otherwise, so that calls are missing, told_object.h finds that out. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::cpu {

// What is called: a function that changes no register and no flag, and finds the instruction it is called for
// k_told_distance bytes behind its return address.
inline constexpr std::string_view k_teller = "hone_tell";
inline constexpr int k_red_zone = 128; // bytes below its stack that a function may use; the call is made below them
inline constexpr int k_told_distance = 8;

std::string with_accesses_told(std::string_view assembly);

} // namespace hone::cpu
