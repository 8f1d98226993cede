// What a candidate calls whose assembly text was given calls (told_assembly.h): it changes no register, and tells the
// accesses of the instruction that it was called for. (internal to the inspector)
#pragma once

#include <cstdint>

extern "C" {
// A Tell, which assembly reads.
[[gnu::visibility("hidden")]] extern std::uint64_t hone_is_told;
}

namespace hone::cpu {

// Of which instructions anybody wants to know: calls for others cost next to nothing. Locked ones are those of atomic
// operations; some others are told with them.
enum class Tell { nothing, locked, all };
void tell_accesses(Tell what);
inline bool is_nothing_told()
{
  return hone_is_told == static_cast<std::uint64_t>(Tell::nothing);
}

} // namespace hone::cpu
