// Writes the job area that a runner reads: see backend/runner_abi.h. (internal to the gate)
#pragma once

#include "backend/cpu/runner_extension.h"
#include "backend/runner_abi.h"
#include "gate/arena_layout.h"
#include "gate/device_session.h"
#include "gate/runner_session.h"
#include "gate/session_slot.h"

namespace hone::gate {

struct SessionJob {
  SharedMemory memory;
  std::vector<int> mapping_fds;               // handed to the runner from k_first_mapping_fd on
  std::vector<std::uint64_t> mapping_serials; // whose they are
  std::vector<BufferPlace> places;            // [set][buffer]

  backend::runner::Job& head() const { return *reinterpret_cast<backend::runner::Job*>(memory.data()); }
  std::span<std::uint32_t> set_list() const;
  std::span<backend::runner::MemoryRequest> memory_requests() const; // none where memory is shared
  backend::runner::cpu::Extension* cpu() const;                      // null where the platform's runner has none
};

// `slot`: null for platforms whose modules are no machine code.
Result<SessionJob> write_job(const SessionSpec& spec, const Arena::Impl& arena, const CodeSlot* slot);
// The same in the place of a job whose runner is to take this one: false, and nothing is written, where it has no room
// for it, or the runner was not handed the memory.
Result<bool> rewrite_job(SessionJob& job, const SessionSpec& spec, const Arena::Impl& arena);
// Whether a session computes in the arena itself.
bool shares_memory(const SessionSpec& spec);

} // namespace hone::gate
