// Loops over tiles: what a blocked loop and the loop over its blocks run over together. (internal to the room)
#pragma once

#include "kernel/expression.h"

#include <optional>

namespace hone::import {

// t < (n + 31) / 32 and 32 * t <= i < min(32 * t + 32, n) are i < n. Nothing when the two are no tiles and their loop.
std::optional<kernel::IndexRange> merged(const kernel::IndexRange& tiles, const kernel::IndexRange& tile);

} // namespace hone::import
