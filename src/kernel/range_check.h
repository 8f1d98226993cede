// Shows, for concrete sizes, that no statement reads outside a tensor. (internal to the room)
#pragma once

#include "kernel/definition.h"

#include <span>
#include <vector>

namespace hone::kernel {

// One error per subscript that may leave its tensor. Conditions around a read (`where`, select, index ranges) count.
std::vector<Error> check_ranges(std::span<const Argument> arguments, const Program& program, const Sizes& sizes);

} // namespace hone::kernel
