// What a kernel's author must know about a kernel that is refused. (internal to the gate)
#pragma once

#include "gate/lint.h"

#include <string>
#include <vector>

namespace hone::gate {

// One sentence for each thing that is wrong, in the order of the report: a constant output, which passes for much else,
// comes first.
std::vector<std::string> refusals_of(const LintReport& report);

} // namespace hone::gate
