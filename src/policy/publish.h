// The end of every climb: the number that is published. (internal to the policy room)
#pragma once

#include "policy/search_run.h"

namespace hone::policy {

// Judges the best checkpoint against the start, in full, in both regimes and in fresh processes. If the gain is not
// confirmed, the next best is judged; the last resort is `base`, from which the climb began. Sets the workflow's best.
Result<PolicyOutcome> publish(SearchRun& search, const SearchNode& start, const SearchNode& base);

// The outcome of a climb that ended with `climb`; an interruption is not an error.
Result<PolicyOutcome> conclude(SearchRun& search, const SearchNode& start, const SearchNode& base, Result<void> climb);

} // namespace hone::policy
