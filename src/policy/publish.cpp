#include "policy/publish.h"

#include "policy/attempt.h"

namespace hone {

namespace {

constexpr std::size_t k_candidates = 3; // the best and those that may take its place

Result<Record> judge_against_start(Session& session, const Standing& best, const Standing& start)
{
  session.tell_started(k_final_step, "the best against the start, checked in full");
  Job job = judge_job(session.context(), start, best.contender(), k_final_step, Depth::promote);
  job.parent = best.checkpoint.id; // the record is about this checkpoint
  job.both_regimes = true;
  return session.run(job);
}

// Where nothing better was found, the start is what stands at the end, and Hone's own was only looked at briefly. It is
// checked anew each time: a timeout of a busy hour must not stand against it for ever.
Result<void> check_start(Session& session, const Standing& start)
{
  if (!session.needs_full_check(start)) {
    return {};
  }
  if (!session.has_time()) {
    session.tell_skipped(k_start_check, "no time is left to check the start in full: hone verify");
    return {};
  }
  Job job;
  job.kind = Job::Kind::validate;
  job.contender = start.contender();
  job.recipe = session.context().recipe;
  job.depth = Depth::promote;
  job.parent = start.checkpoint.id;
  job.transformation = k_start_check;
  session.tell_started(k_start_check, "nothing is faster than the start: it is checked in full");
  HONE_TRY(const Record record, session.run_again(job));
  const bool correct = record.verdict.status == Status::correct;
  session.tell_finished(record, {}, correct, record.verdict.reason);
  return correct ? Result<void>() : wrong_start(session.context(), record.verdict);
}

} // namespace

Result<PolicyOutcome> publish(Session& session, const Standing& start, const Standing& base)
{
  PolicyOutcome outcome;
  outcome.start = start.checkpoint.id;
  std::size_t tried = 0;
  for (const Standing& best : session.offered()) {
    outcome.best = best.checkpoint.id;
    if (outcome.best == outcome.start || session.stop_requested()) {
      break;
    }
    HONE_TRY(const Record record, judge_against_start(session, best, start));
    const Judgement judgement = judgement_of(record.verdict, session.context().recipe.regime);
    const bool holds = judgement.correct && judgement.comparison != Comparison::slow;
    session.tell_finished(record, Gain{}.times(judgement), holds, record.verdict.reason);
    if (holds) {
      outcome.final_record = record;
      break;
    }
    outcome.best = base.checkpoint.id;
    if (++tried == k_candidates) {
      break;
    }
  }
  if (outcome.best == outcome.start) {
    HONE_CHECK(check_start(session, start));
  }
  HONE_CHECK(session.context().workflow.set_best(session.best_of_workflow(outcome.best)));
  return outcome;
}

Result<PolicyOutcome> conclude(Session& session, const Standing& start, const Standing& base, Result<void> climb)
{
  if (!climb && !session.stop_requested()) {
    return std::unexpected(std::move(climb.error()));
  }
  HONE_TRY(PolicyOutcome outcome, publish(session, start, base));
  HONE_CHECK(session.count_time());
  outcome.stopped = session.ended_early() || session.stop_requested();
  if (outcome.best == base.checkpoint.id) {
    outcome.note = why_nothing_applies(session.context());
  }
  if (!session.gave_up().empty()) {
    outcome.note = session.gave_up();
  }
  return outcome;
}

} // namespace hone
