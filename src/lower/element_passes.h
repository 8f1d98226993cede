// Statements that read the same matrix, taken together over blocks of its rows, so that memory delivers it once.
// (internal to the room)
#pragma once

#include "lower/element_code.h"
#include "lower/statement_lowering.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace hone::lower {

enum class PassRole {
  along_rows, // t[i] = sum(j, A[i,j] * x[j])
  of_rows,    // y[j] = sum(i, A[i,j] * t[i])
  elements,   // A[i,j] = A[i,j] + u[i] * v[j]
};

// A statement as a pass over rows sees it.
struct PassMember {
  const kernel::Statement* statement = nullptr;
  PassRole role = PassRole::elements;
  kernel::IndexRange rows, columns;
  std::set<std::string> matrices; // read, or written, by row and column
};

// Those of the statements, from the first one on, that share the rows of a matrix; none, or at least 2.
//
// A statement may read what an earlier one computes in the same row. It may not read a sum of rows, which is complete
// behind the last row only.
std::vector<PassMember> pass_over_rows(const kernel::Kernel& kernel,
                                       std::span<const kernel::Statement* const> statements);

// One launch of one group, `options.block` rows at a time. An error where a statement has no vectors.
Result<void> lower_pass(const kernel::Kernel& kernel, const Dialect& dialect, const std::vector<PassMember>& members,
                        const ElementOptions& options, const std::string& name, LoweredProgram& out);

} // namespace hone::lower
