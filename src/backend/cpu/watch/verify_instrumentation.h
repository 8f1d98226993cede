// Proof that the watch saw what is timed: an object whose accesses are told holds the instructions and the data of the
// plain one, in the same order, with a call before each instruction that is to be told of and nothing else between
// them, and every jump leads to the beginning of an instruction, or of its call. Whatever the text was that both were
// assembled from. (internal)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hone::cpu {

// "" or what is wrong. Both: relocatable ELF objects, bytes of the file.
std::string why_not_told(std::string_view told, std::string_view plain);

// Bytes of the call at the beginning of `code`; 0 where none stands there.
std::size_t told_call_bytes(std::span<const std::byte> code);

} // namespace hone::cpu
