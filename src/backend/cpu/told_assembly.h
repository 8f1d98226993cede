// Assembly text of a candidate, as the compiler writes it for the code that is timed, with a call before every
// instruction that may touch memory: whatever an access was made by (plain code, intrinsics, inline assembly), it is seen.
// (internal)
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace hone::cpu {

// What is called: a function that changes no register and no flag, and finds the instruction it is called for
// k_told_distance bytes behind its return address.
inline constexpr std::string_view k_teller = "hone_tell";
inline constexpr int k_red_zone = 128; // bytes below its stack that a function may use; the call is made below them
inline constexpr int k_told_distance = 8;

// An error: an instruction that no kernel has any use for (it asks for the time, the processor or the system), or text
// in which instructions may hide.
std::expected<std::string, std::string> with_accesses_told(std::string_view assembly);

} // namespace hone::cpu
