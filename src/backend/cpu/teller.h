// What a candidate calls whose assembly text was given calls (told_assembly.h): it changes no register, and tells the
// accesses of the instruction that it was called for. (internal to the inspector)
#pragma once

#include <cstdint>

namespace hone::cpu {

// Of which instructions anybody wants to know: calls for others cost next to nothing. Locked ones are those of atomic
// operations; some others are told with them.
enum class Tell { nothing, locked, all };
void tell_accesses(Tell what);

} // namespace hone::cpu
