// Judged attempts of one standing: what a policy that looks at several steps chooses from. (internal to the policy
// room)
#pragma once

#include "policy/attempt.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace hone {

// A checkpoint only once it is needed.
struct Option {
  Attempt attempt;
  Record record;
  Judgement judgement;
  Decision decision;
};

// Judges each attempt against `from`, and has the next one compiled meanwhile, until there is no time any more. What
// was judged joins `seen`.
Result<std::vector<Option>> judge_all(Session& session, const Standing& from, const std::vector<Attempt>& attempts,
                                      std::set<std::string>& seen, const std::function<bool()>& out_of_time);
Result<Standing> keep(Session& session, const Standing& from, const Option& option);

} // namespace hone
