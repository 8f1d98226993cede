// Where candidate code lies while it is measured: two executable ranges that the parent owns and that persist from
// lane to lane. The physical pages of code change its speed, so both arms use the same two slots in turn.
// (internal to the gate)
#pragma once

#include "gate/lane_memory.h"

#include <cstddef>
#include <string_view>

namespace hone {

constexpr int k_slots = 2;

// The right to use one slot, held as long as a runner has it mapped. Larger images get larger slots.
class SlotLease {
public:
  SlotLease() = default;
  // Copies the image to `offset` in the slot; the rest is filled with an instruction that traps.
  static Result<SlotLease> take(int slot, std::string_view image, std::size_t offset);
  SlotLease(SlotLease&& other) noexcept;
  SlotLease& operator=(SlotLease&& other) noexcept;
  ~SlotLease();

  int fd() const;
  std::size_t size() const;

private:
  int m_slot = -1;
};

} // namespace hone
