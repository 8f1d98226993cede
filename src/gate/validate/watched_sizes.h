// At which sizes a candidate is run where its accesses to memory are watched. (internal to the gate)
#pragma once

#include "backend/inspector.h"
#include "gate/validate/validation.h"

#include <cstddef>
#include <vector>

namespace hone::gate {

struct WatchedCall {
  kernel::Sizes sizes;
  std::size_t most_accesses = 0; // that are watched, where it is too much to be watched whole; else 0
  bool brief = false;            // one of many that take hardly any time
};

// Small calls whole: two of the hidden sizes, and sizes about the candidate's numbers, or any others, at which launches
// or neighbours come up that the former have not. Where the tool can, also parts of calls: at the longest size tried
// of every symbol, and at those at which every three of them are long, where loops may take other ways, and at the
// timed ones, for which a plan may hold launches of its own.
Result<std::vector<WatchedCall>> choose_watched_calls(Validation& validation, const backend::Inspector& inspector);

} // namespace hone::gate
