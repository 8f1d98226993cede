// Statement by statement: each becomes one launch of plain loops, as the expression says.
#pragma once

#include "lower/candidate_text.h"

namespace hone {

struct LoweredProgram {
  ProgramBlock device; // functions, without the preamble
  ProgramBlock macros;
  PlanText plan;
};

Result<LoweredProgram> lower_statements(const Kernel& kernel, const Dialect& dialect);

} // namespace hone
