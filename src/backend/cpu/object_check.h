// What a candidate's object would change in a program that it is linked into, beside what it computes, and what of the
// program would change it. (internal)
#pragma once

#include "backend/cpu/elf_image.h"

#include <string>

namespace hone::cpu {

// "" where it changes nothing: names of the C and C++ libraries that it takes for functions of its own, code on the
// stack that it asks for, code or data where others look for what to run; and nothing changes it: a question for what
// else is linked, functions that differ from one C library to the next. `object`: as the assembler made it.
std::string what_it_changes(const ElfImage& object);

} // namespace hone::cpu
