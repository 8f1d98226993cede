// Divisors that are nothing but a size less a number, such as n - 1.0: the size is larger than the number. (internal to
// the room)
#pragma once

#include "import/interpreter.h"

#include <string>
#include <vector>

namespace hone::import {

// Adds the conditions, and a note for each.
void add_size_divisors(const Semantics& semantics, std::vector<kernel::ExprPtr>& conditions,
                       std::vector<std::string>& notes);

} // namespace hone::import
