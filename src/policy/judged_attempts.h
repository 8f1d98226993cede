// Judged attempts from one node: a policy that compares several steps chooses among them. (internal to the policy
// room)
#pragma once

#include "policy/attempt.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace hone::policy {

// It becomes a checkpoint only when it is chosen.
struct JudgedAttempt {
  Attempt attempt;
  record::Record record;
  Judgement judgement;
  Decision decision;
};

// Judges each attempt against `from` while the next one compiles, until `out_of_time`. Adds the judged ones to `seen`.
Result<std::vector<JudgedAttempt>> judge_all(SearchRun& search, const SearchNode& from,
                                             const std::vector<Attempt>& attempts, std::set<std::string>& seen,
                                             const std::function<bool()>& out_of_time);
Result<SearchNode> add_checkpoint(SearchRun& search, const SearchNode& from, const JudgedAttempt& option);

} // namespace hone::policy
