// What a candidate calls whose assembly text was given calls (told_assembly.h): it changes no register, and tells the
// accesses of the instruction that it was called for. (internal to the inspector)
#pragma once

#include <cstdint>

namespace hone::cpu {

// Whether anybody listens; else the call costs next to nothing.
void tell_accesses(bool told);

} // namespace hone::cpu
