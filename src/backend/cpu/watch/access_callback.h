// The function that instrumented assembly calls before an instruction (see instrumentation.h). It decodes the
// instruction, records its memory accesses and preserves every register and flag. (internal to the inspector)
#pragma once

#include "backend/cpu/watch/instrumentation.h"
#include "backend/cpu/watch/memory_access.h"

#include <cstddef>
#include <cstdint>

extern "C" {
// A CallbackMode, read by assembly.
[[gnu::visibility("hidden")]] extern std::uint64_t hone_callback_mode;
// What the callback calls with the registers that it saved; at first what checks the accesses.
[[gnu::visibility("hidden")]] extern void (*hone_access_recorder)(const hone::backend::cpu::GeneralRegisters*,
                                                                  const hone::backend::cpu::VectorRegisters*);
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

// Where an instruction is that is about to run.
struct CallbackPlace {
  const std::byte* instruction = nullptr;
  std::uint64_t rsp = 0;     // the stack pointer, before it
  std::uint64_t fs_base = 0; // the address that %fs stands for
};
inline CallbackPlace callback_place(const GeneralRegisters* saved)
{
  // After the registers come the return address and the stack of the instrumented function.
  const auto* returns = reinterpret_cast<const std::uint64_t*>(saved + 1);
  return {reinterpret_cast<const std::byte*>(*returns) + k_callback_distance,
          reinterpret_cast<std::uint64_t>(returns + 1) + k_red_zone,
          reinterpret_cast<std::uint64_t>(__builtin_thread_pointer())};
}

} // namespace hone::backend::cpu
