// What oclgrind counts of a call: instructions that load and store, and their bytes, by kind of memory. It knows
// neither lines nor caches.
#pragma once

#include "backend/access_counter.h"

namespace hone::backend::opencl {

const AccessCounter& oclgrind_counter();

// "      64 - load global (256 bytes)", a line for each kind of instruction, of all launches together.
AccessCounts counts_in(std::string_view printed);

} // namespace hone::backend::opencl
