// Arguments that are square matrices of a declared form ([arguments] matrix = "dominant").
#pragma once

#include "kernel/kernel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::inputs {

// Gives every matrix of such an argument its form: the lower triangle mirrors the upper one in a positive definite
// matrix, and elements of the diagonal become larger than half as much again as all others of their row and column
// together. The domain does not hold for the diagonal. Nothing where no form is declared.
void keep_matrix_form(std::span<std::byte> bytes, const kernel::Argument& argument, std::int64_t extent);

} // namespace hone::inputs
