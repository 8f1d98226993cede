// The end of every climb: the number that is published. (internal to the policy room)
#pragma once

#include "policy/search_run.h"

namespace hone {

// Judges the best checkpoint against the start, in full and in both regimes, in fresh processes; where it does not
// hold, the next best, and where nothing holds `base`, from which the climb began. Sets the workflow's best.
Result<PolicyOutcome> publish(SearchRun& search, const SearchNode& start, const SearchNode& base);

// What a policy returns: of the climb's errors, an interruption is none.
Result<PolicyOutcome> conclude(SearchRun& search, const SearchNode& start, const SearchNode& base, Result<void> climb);

} // namespace hone
