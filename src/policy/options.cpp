#include "policy/options.h"

namespace hone {

Result<std::vector<Option>> judge_all(Session& session, const Standing& from, const std::vector<Attempt>& attempts,
                                      std::set<std::string>& seen, const std::function<bool()>& out_of_time)
{
  const PolicyContext& context = session.context();
  std::vector<Option> options;
  for (std::size_t i = 0; i < attempts.size() && !out_of_time(); ++i) {
    if (i + 1 < attempts.size()) {
      context.executor.prepare(attempts[i + 1].contender, context.recipe);
    }
    session.tell_started(attempts[i].transformation->name);
    HONE_TRY(Record record, judge(session, from, attempts[i]));
    seen.insert(record.candidate);
    const Judgement judgement = judgement_of(record.verdict, context.recipe.regime);
    Decision decision = decide(attempts[i].transformation->speed, record.verdict, context.recipe.regime);
    session.tell_finished(record, from.gain.times(judgement), false, decision.reason);
    options.push_back({attempts[i], std::move(record), judgement, std::move(decision)});
  }
  return options;
}

Result<Standing> keep(Session& session, const Standing& from, const Option& option)
{
  return session.keep(from, option.attempt.contender.candidate, option.record);
}

} // namespace hone
