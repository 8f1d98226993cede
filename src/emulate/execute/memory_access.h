// Accesses of a warp's lanes to memory: where the bytes lie, whether they may be touched, what else touches them.
// (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace hone::emulate::execute {

enum class Where : std::uint8_t { generic, global, shared, local, constant, parameter, cluster };

// Addresses of shared::cluster name a group by its rank, from 1, in the bits above the offset; 0: the group's own.
constexpr int k_rank_shift = 24;

// The bytes of one lane's access in this process; nullptr: reported.
std::byte* bytes_at(Warp& warp, const Op& op, Where where, std::uint64_t address, std::size_t bytes, int lane,
                    Access access, bool read_only);

// Whose shared memory an address of shared::cluster names. No group: reported.
struct SharedPlace {
  Group* group = nullptr;
  std::uint64_t offset = 0;
};
SharedPlace shared_place(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, int lane, Access access);

// Memory that an asynchronous operation of the warp touches: what is done for an mbarrier is over for who has seen the
// barrier's next phase end; without one it lasts until end_async(). nullptr: reported.
std::byte* async_bytes(Warp& warp, const Op& op, const SharedPlace& place, std::size_t bytes, Access access,
                       const MBarrier* barrier);
std::byte* async_global(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, Access access,
                        const MBarrier* barrier);
void end_async(Warp& warp, const PendingAccess& access);
// A tensor map in global memory, whose bytes the warp's asynchronous operation reads.
bool check_tensor_map(Warp& warp, const Op& op, std::uint64_t address, std::size_t bytes, const MBarrier* barrier);

std::string place_text(const Warp& warp, std::uint32_t place); // "device.cu:7"
std::string group_text(const Group& group);                    // "block (1, 0, 0)"

} // namespace hone::emulate::execute
