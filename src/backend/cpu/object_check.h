// What a candidate's object would change in a program that it is linked into, beside what it computes, and what of the
// program would change it. (internal)
#pragma once

#include "backend/cpu/elf_image.h"

#include <span>
#include <string>

namespace hone::cpu {

// "" where it changes nothing: names beside those of its kernels that other libraries may have, too, code on the stack
// that it asks for, code or data where others look for what to run, how programs are laid out; and nothing changes it:
// a question for what else is linked, constants that linkers merge, functions that differ from one C library to the
// next. `object`: as the assembler made it. `kernels`: the names that its plan launches.
std::string what_it_changes(const ElfImage& object, std::span<const std::string> kernels);

} // namespace hone::cpu
