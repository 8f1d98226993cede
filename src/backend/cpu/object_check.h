// Side effects of a candidate's object on a program that it is linked into, and of the program on the object.
// (internal)
#pragma once

#include "backend/cpu/elf_image.h"

#include <span>
#include <string>

namespace hone::backend::cpu {

// "" or the first one. Of the object: global names besides its kernels, an executable stack, code or data in sections
// that other tools read, large alignment. Of the program: weak references, constants that linkers merge, functions that
// differ between C libraries. `object`: as assembled. `kernels`: the names that its plan launches.
std::string link_side_effect(const ElfImage& object, std::span<const std::string> kernels);

} // namespace hone::backend::cpu
