// Writes the job area that a runner reads: see backend/runner_abi.h. (internal to the gate)
#pragma once

#include "backend/cpu/runner_extension.h"
#include "backend/runner_abi.h"
#include "gate/arena_layout.h"
#include "gate/lane.h"
#include "gate/lane_slot.h"

namespace hone {

struct LaneJob {
  SharedMemory memory;
  std::vector<int> mapping_fds; // handed to the runner from k_first_mapping_fd on

  runner::Job& head() const { return *reinterpret_cast<runner::Job*>(memory.data()); }
  std::span<std::uint32_t> set_list() const;
  runner::cpu::Extension* cpu() const; // null where the platform's runner has none
};

// `slot`: null for platforms whose modules are no machine code.
Result<LaneJob> write_job(const LaneSpec& spec, const Arena::Impl& arena, const CodeSlot* slot);

} // namespace hone
