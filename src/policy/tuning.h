// A tuning session inside a policy's run. (internal to the policy room)
#pragma once

#include "policy/search_run.h"

namespace hone::policy {

struct TuningLimits {
  std::size_t points = 0;
  double seconds = 0; // of wall time, validation of the winner included
};

// The faster checkpoint, or `from` when no point is confirmed to be faster.
Result<SearchNode> tune(SearchRun& search, const SearchNode& from, const TuningLimits& limits);

// Share of the search's time that a policy keeps for tuning the best candidate it found.
constexpr double k_share_of_last_tuning = 0.35;
// Tunes for as long as the search has time, and offers the result.
Result<void> tune_at_the_end(SearchRun& search, const SearchNode& best);

} // namespace hone::policy
