// Counts the accesses of CPU candidates: the timed assembly, with line information and
// a callback before every instruction that accesses memory, run by hone-cpu-inspector through a model of the caches.
// (internal)
#pragma once

#include "backend/access_counter.h"

#include <string_view>

namespace hone::backend::cpu {

const AccessCounter& cpu_access_counter();

// From what hone-cpu-inspector counted by instruction, and what addr2line says about where those come from. (for tests)
Result<AccessCounts> access_counts_from(std::string_view counts, std::string_view places);

} // namespace hone::backend::cpu
