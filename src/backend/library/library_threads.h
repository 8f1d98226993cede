// A library's own threads: as many as a contender has, on the same CPUs. (part of hone-runner-library)
#pragma once

#include "backend/runner/runner_core.h"

namespace hone::backend::runner {

// Before the library is opened: it makes as many threads as there are workers. nullptr, or what went wrong.
const char* set_library_threads(std::uint32_t threads);
const char* allow_all_cpus(const JobView& job);

// After its first call: each of its threads gets a CPU of its own. Libraries without lasting threads (BLIS makes new
// ones for every product) stay on all CPUs.
const char* spread_threads(const JobView& job);

} // namespace hone::backend::runner
