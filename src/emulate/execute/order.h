// What strong accesses and fences order: flags in memory, releases and acquires of every scope. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <cstddef>

namespace hone::emulate::execute {

class Decoder;

// Op::order of a load, store, update or fence as the statement says; 0: a weak one.
std::uint8_t order_in(const Decoder& decoder);

// A strong load or update has read a word: what its writers tell of is known, at once or behind the next fence.
void read_flag(Warp& warp, const Op& op, const std::byte* at);
// A strong store or update (`continues`: behind what its writers have told) has written it.
void write_flag(Warp& warp, const Op& op, const std::byte* at, bool continues);
// Of words that no longer hold what they held.
void forget_flags(Launch& launch, const std::byte* begin, std::size_t bytes);
// fence.acq_rel and membar.
void fence(Warp& warp, std::uint8_t scope);

} // namespace hone::emulate::execute
