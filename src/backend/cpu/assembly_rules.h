// What inline assembly may not do, as the compiler knows nothing of it and hands it on: give directives (sections,
// tables for unwinding, names), call functions or jump to them, push, pop, or move the stack pointer. Whatever else is
// linked, signals, debuggers and other options then meet what the compiler's own code never leaves. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::cpu {

// "" or what it does: `assembly` is what the compiler made of a candidate, where it marks what comes from inline
// assembly by lines that begin with #.
std::string what_assembly_breaks(std::string_view assembly);

// "" or why those marks may be forged, or assembly be where none is marked: strings that are handed on to the assembler
// as they are (names of sections and of symbols, and the instructions themselves). `preprocessed`: the candidate's
// text.
std::string what_may_forge_marks(std::string_view preprocessed);

} // namespace hone::cpu
