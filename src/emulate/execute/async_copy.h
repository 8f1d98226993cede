// Copies to shared memory that a warp has begun and not waited for. (internal to the room)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone::emulate::execute {

struct Warp;

struct AsyncCopy {
  std::uint64_t offset = 0; // in shared memory
  std::uint32_t bytes = 0;
  int lane = 0;
  std::uint32_t place = 0;
  std::uint64_t group = 0; // 0: not committed
  std::array<std::byte, 16> content{};
};

// From here on nobody may touch its bytes; from here on the lane that waited may.
void mark_pending(Warp& warp, const AsyncCopy& copy);
void mark_done(Warp& warp, const AsyncCopy& copy);

} // namespace hone::emulate::execute
