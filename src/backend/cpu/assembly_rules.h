// Rules for inline assembly, which the compiler passes on without reading it. Forbidden are directives (sections,
// unwind tables, names), calls, jumps out of the block, push, pop, and moves of the stack pointer: the rest of the
// program, signal handlers and debuggers rely on what compilers emit. (internal)
#pragma once

#include <string>
#include <string_view>

namespace hone::backend::cpu {

// "" or the broken rule. `assembly`: the compiler's output, in which #APP and #NO_APP lines enclose inline assembly.
std::string assembly_violation(std::string_view assembly);

// "" or why these markers are not reliable: a string that reaches the assembler unchanged (names of sections and
// symbols, the instructions themselves) could contain one. `preprocessed`: the candidate's preprocessed text.
std::string marker_forgery(std::string_view preprocessed);

} // namespace hone::backend::cpu
