#include "policy/judged_attempts.h"

namespace hone::policy {

Result<std::vector<JudgedAttempt>> judge_all(SearchRun& search, const SearchNode& from,
                                             const std::vector<Attempt>& attempts, std::set<std::string>& seen,
                                             const std::function<bool()>& out_of_time)
{
  const PolicyContext& context = search.context();
  std::vector<JudgedAttempt> options;
  for (std::size_t i = 0; i < attempts.size() && !out_of_time(); ++i) {
    if (i + 1 < attempts.size()) {
      context.executor.prepare(attempts[i + 1].contender, context.recipe);
    }
    search.notify_started(attempts[i].transformation->name);
    HONE_TRY(record::Record record, judge(search, from, attempts[i]));
    seen.insert(record.candidate);
    const Judgement judgement = judgement_of(record.verdict, context.recipe.regime);
    Decision decision = decide(attempts[i].transformation->speed, record.verdict, context.recipe.regime);
    search.notify_finished(record, from.gain.times(judgement), false, decision.reason);
    options.push_back({attempts[i], std::move(record), judgement, std::move(decision)});
  }
  return options;
}

Result<SearchNode> add_checkpoint(SearchRun& search, const SearchNode& from, const JudgedAttempt& option)
{
  return search.add_checkpoint(from, option.attempt.contender.candidate, option.record);
}

} // namespace hone::policy
