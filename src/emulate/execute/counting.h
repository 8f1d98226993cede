// What operations cost, where a launch counts. (internal to the room)
#pragma once

#include "emulate/execute/memory_access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace hone::emulate::execute {

// Of the operation's instruction; nullptr: nobody counts.
inline LineCounts* counted(const Warp& warp, const Op& op)
{
  Launch& launch = *warp.group->launch;
  return launch.lines.empty() ? nullptr : &launch.lines[op.place];
}

// An access of so many bytes of each lane that executes.
void count_access(Warp& warp, const Op& op, Where where, const std::array<std::uint64_t, k_lanes>& addresses,
                  std::size_t bytes, Access access);

// Bytes of global memory.
struct Stretch {
  std::uint64_t address = 0, bytes = 0;
};
// One request. Stretches that touch the same sector share it, or each fetches its own.
void count_global(Warp& warp, const Op& op, std::span<const Stretch> stretches, Access access, bool shares_sectors);

// Eight rows of 16 bytes in shared memory, which ldmatrix and stmatrix take together.
void count_rows(Warp& warp, const Op& op, const std::array<std::uint64_t, 8>& addresses);
// What a bulk copy reads or writes of shared memory: bytes one behind the other.
void count_bulk_shared(Warp& warp, const Op& op, std::uint64_t offset, std::uint64_t bytes);

// Of a lane that executes it once.
std::uint64_t float_operations_of(std::string_view opcode);

} // namespace hone::emulate::execute
