// Verifies that the watched code is the timed code. The instrumented object must hold the instructions and data of the
// plain one, in the same order, with a callback before each instruction that needs one and nothing else in between;
// every jump must lead to the beginning of an instruction or of its callback. This holds for any assembly text.
// (internal)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hone::backend::cpu {

// "" or what is wrong. Both arguments: contents of relocatable ELF objects.
std::string verify_instrumentation(std::string_view instrumented, std::string_view plain);

// Length of the callback sequence at the beginning of `code`; 0 if there is none.
std::size_t callback_call_bytes(std::span<const std::byte> code);

} // namespace hone::backend::cpu
