// Edits of a loop nest that several rewrites share.
#pragma once

#include "lower/lower.h"

namespace hone::rewrite {

// Adds a tuning parameter, or leaves the one there is.
void add_parameter(lower::Schedule& schedule, const std::string& name, std::vector<std::int64_t> values,
                   std::int64_t default_value);
void remove_parameter(lower::Schedule& schedule, const std::string& name);

// Blocks of k (TILE_K) around the loops inside the groups, unless there are some.
void block_k(lower::Schedule& schedule);

// Position of the first loop inside the group: after the groups and blocks, the first tile or point loop.
std::size_t first_inner_loop(const lower::Schedule& schedule);

// An error if register tiles do not follow each other along the rows of a strip of columns.
Result<void> check_strips(const lower::Schedule& schedule);

// Sums that wait in the output between blocks of k are rounded to its type.
Result<void> check_partial_sums(const kernel::Kernel& kernel);

// Chooses the block sizes at which the search starts. A strip of packed B, as wide as a register tile, is all that must
// stay in the second-level cache: then sums can be long, so that the output is seldom read again, and each strip is
// packed for many rows; narrow groups of columns are then what several threads share. Without it, blocks of both
// operands must fit.
void choose_block_sizes(lower::Schedule& schedule);

// Recomputes the constraints between the parameters: a register budget, tiles that divide blocks, panels that fit the
// group's memory.
void update_constraints(lower::Schedule& schedule, const kernel::Kernel& kernel, const lower::Dialect& dialect);

} // namespace hone::rewrite
