// Accesses of a warp's lanes to memory: where the bytes lie, whether they may be touched, what else touches them.
// (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <cstddef>
#include <cstdint>

namespace hone::emulate::execute {

enum class Where : std::uint8_t { generic, global, shared, local, constant, parameter };

// The bytes of one lane's access in this process; nullptr: reported.
std::byte* bytes_at(Warp& warp, const Op& op, Where where, std::uint64_t address, std::size_t bytes, int lane,
                    Access access, bool read_only);

} // namespace hone::emulate::execute
