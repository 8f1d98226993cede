// Arguments with a declared order or form ([arguments] order = "rising", matrix = "dominant").
#pragma once

#include "kernel/kernel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::inputs {

// Sorts every row of such an argument and puts its domain's ends at the row's ends; a row of one element has the lower
// one. Matrices get their form (inputs/matrix_form.h). Nothing where no order is declared. `argument.domain` is the one
// at these sizes.
void keep_order(std::span<std::byte> bytes, const kernel::Argument& argument, std::int64_t last_extent);

// The same for the argument at `position` in Kernel::arguments at these sizes, after some of its elements have changed.
Result<void> restore_order(const kernel::Kernel& kernel, const kernel::Sizes& sizes, std::span<std::byte> bytes,
                           std::size_t position);

} // namespace hone::inputs
