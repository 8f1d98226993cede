// Statement by statement: each becomes one launch of plain loops, as the expression says.
#pragma once

#include "lower/candidate_text.h"

namespace hone::lower {

struct LoweredProgram {
  ProgramBlock device; // functions, without the preamble
  ProgramBlock macros;
  PlanText plan;
};

// One statement: appends the function `name`, its launch, and scratch for an intermediate.
Result<void> lower_statement(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                             const std::string& name, LoweredProgram& out);

// The number of elements of a statement's target, as a plan expression.
Result<std::string> elements_of(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source);

Result<LoweredProgram> lower_statements(const kernel::Kernel& kernel, const Dialect& dialect);

} // namespace hone::lower
