// The CPU watch: instrumented execution of CPU candidates, for validation. Each load and store of a candidate is
// checked against shadow memory while its work-groups run one by one or interleaved, slowly and in a process of its own
// (hone-cpu-inspector). It finds data races between groups, accesses out of bounds, reads of undefined memory, state
// leakage between groups, and jumps into hidden code. The candidate runs three times: with the timed assembly
// instrumented before every instruction, and compiled again with the hooks of ThreadSanitizer and of AddressSanitizer.
// docs/instrumented-execution.md describes method, limits and cost.
#pragma once

#include "backend/inspector.h"

namespace hone::backend::cpu {

const Inspector& access_watch();

// Parses the findings that hone-cpu-inspector writes. (for tests)
Result<std::vector<InspectionFinding>> watch_findings(std::string_view lines);

} // namespace hone::backend::cpu
