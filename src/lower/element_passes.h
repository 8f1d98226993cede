// Statements that read the same matrix, taken together over blocks of its rows, so that memory delivers it once.
// (internal to the room)
#pragma once

#include "lower/element_code.h"
#include "lower/statement_lowering.h"

#include <span>

namespace hone::lower {

// How many of the statements, from the first one on, share the rows of a matrix: sums along its rows (t = A x), sums of
// its rows (y = A' t) and its own elements (A = A + u v'). 0 or at least 2.
//
// A statement may read what an earlier one computes in the same row. It may not read a sum of rows, which is complete
// behind the last row only.
std::size_t count_of_pass(const kernel::Kernel& kernel, std::span<const kernel::Statement* const> statements);

// One launch of one group for statements that count_of_pass() found, `options.block` rows
// at a time. An error where one of them has no vectors.
Result<void> lower_pass(const kernel::Kernel& kernel, const Dialect& dialect,
                        std::span<const kernel::Statement* const> statements, const ElementOptions& options,
                        const std::string& name, LoweredProgram& out);

} // namespace hone::lower
