// Accesses of a warp's lanes to memory: where the bytes lie, whether they may be touched, what else touches them.
// (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone::emulate::execute {

enum class Where : std::uint8_t { generic, global, shared, local, constant, parameter };

// The bytes of one lane's access in this process; nullptr: reported.
std::byte* bytes_at(Warp& warp, const Op& op, Where where, std::uint64_t address, std::size_t bytes, int lane,
                    Access access, bool read_only);

// What an access of so many bytes of each lane costs, where counts are asked for. Addresses of lanes that execute.
void count_access(Warp& warp, const Op& op, Where where, const std::array<std::uint64_t, k_lanes>& addresses,
                  std::size_t bytes);

// Shared memory that an asynchronous operation of the warp touches: loads last until end_async_load(), stores are
// there for who has seen the barrier's next phase end. nullptr: reported.
std::byte* async_bytes(Warp& warp, const Op& op, std::uint64_t offset, std::size_t bytes, Access access,
                       const MBarrier* barrier);
void end_async_load(Warp& warp, std::uint64_t offset, std::uint64_t bytes);

} // namespace hone::emulate::execute
