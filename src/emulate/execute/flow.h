// In which order lanes that have parted go on. (internal to the room)
#pragma once

#include "emulate/execute/machine.h"

#include <cstdint>
#include <vector>

namespace hone::emulate::execute {

// Numbers the operations from `begin` on, which are one function: those that others lead to come behind them, those
// behind a loop behind all of the loop. `branches`: which of them jump to their target. Where the lanes that are first
// in this order go first, they meet where a device lets them meet, however the compiler has laid out the text.
void number_by_flow(Code& code, std::uint32_t begin, const std::vector<std::uint32_t>& branches);

} // namespace hone::emulate::execute
