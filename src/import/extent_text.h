// Extents as users write them in --shape: sums, products and quotients of sizes and integers. (internal to the room)
#pragma once

#include "import/polynomial.h"

#include <optional>
#include <string_view>

namespace hone::import {

// "2*n+1", "n/2"; nothing for anything else.
std::optional<Polynomial> extent_from(std::string_view text);

} // namespace hone::import
