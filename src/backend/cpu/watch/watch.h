// Native candidates under watch: compiled so that every load and store is looked at, and run group after group.
#pragma once

#include "backend/inspector.h"

namespace hone::cpu {

// Sees groups of one launch that touch the same element, one of them writing, whatever is written; and accesses out of
// bounds, however near. It does not see what inline assembly and intrinsics with masks of their own touch. It looks for
// mistakes: a candidate that looks for it escapes it.
const Inspector& access_watch();

// What its program found. (for tests)
Result<std::vector<InspectionFinding>> watch_findings(std::string_view lines);

} // namespace hone::cpu
