// The function that instrumented assembly calls before an instruction (see instrumentation.h). It decodes the
// instruction, records its memory accesses and preserves every register and flag. (internal to the inspector)
#pragma once

#include <cstdint>

extern "C" {
// A CallbackMode, read by assembly.
[[gnu::visibility("hidden")]] extern std::uint64_t hone_callback_mode;
}

namespace hone::backend::cpu {

// Which instructions are decoded; a callback for any other costs a few cycles. locked_only: atomic operations, and a
// few that share their first bytes.
enum class CallbackMode { off, locked_only, all };
void set_callback_mode(CallbackMode mode);
inline bool are_callbacks_off()
{
  return hone_callback_mode == static_cast<std::uint64_t>(CallbackMode::off);
}

} // namespace hone::backend::cpu
