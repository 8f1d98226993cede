#include "policy/publish.h"

#include "policy/attempt.h"

namespace hone::policy {

namespace {

constexpr std::size_t k_candidates = 3; // the best and those that may take its place

Result<record::Record> judge_against_start(SearchRun& search, const SearchNode& best, const SearchNode& start)
{
  search.notify_started(k_final_step, "the best against the start, checked in full");
  record::Job job = judge_job(search.context(), start, best.contender(), k_final_step, record::Depth::promote);
  job.parent = best.checkpoint.id; // the record is about this checkpoint
  job.both_regimes = true;
  return search.run(job);
}

// Where nothing better was found, the start is what stands at the end, and Hone's own was only looked at briefly. It is
// checked anew each time: a timeout of a busy hour must not stand against it for ever.
Result<void> check_start(SearchRun& search, const SearchNode& start)
{
  if (!search.needs_full_check(start)) {
    return {};
  }
  if (!search.has_time()) {
    search.notify_skipped(k_start_check, "no time is left to check the start in full: hone verify");
    return {};
  }
  record::Job job;
  job.kind = record::Job::Kind::validate;
  job.contender = start.contender();
  job.recipe = search.context().recipe;
  job.depth = record::Depth::promote;
  job.parent = start.checkpoint.id;
  job.transformation = k_start_check;
  search.notify_started(k_start_check, "nothing is faster than the start: it is checked in full");
  HONE_TRY(const record::Record record, search.run_again(job));
  const bool correct = record.verdict.status == record::Status::correct;
  search.notify_finished(record, {}, correct, record.verdict.reason);
  return correct ? Result<void>() : start_failure(search.context(), record.verdict);
}

} // namespace

Result<PolicyOutcome> publish(SearchRun& search, const SearchNode& start, const SearchNode& base)
{
  PolicyOutcome outcome;
  outcome.start = start.checkpoint.id;
  std::size_t tried = 0;
  for (const SearchNode& best : search.offered()) {
    outcome.best = best.checkpoint.id;
    if (outcome.best == outcome.start || search.stop_requested()) {
      break;
    }
    HONE_TRY(const record::Record record, judge_against_start(search, best, start));
    const Judgement judgement = judgement_of(record.verdict, search.context().recipe.regime);
    // Of code that looks alike a user keeps their own.
    const bool own_start = start.checkpoint.candidate.schedule.empty();
    const bool holds =
      judgement.correct && judgement.comparison != record::Comparison::slow && (!own_start || judgement.ratio >= 1);
    search.notify_finished(record, Gain{}.times(judgement), holds, record.verdict.reason);
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
    HONE_CHECK(check_start(search, start));
  }
  HONE_CHECK(search.context().workflow.set_best(search.best_of_workflow(outcome.best)));
  return outcome;
}

Result<PolicyOutcome> conclude(SearchRun& search, const SearchNode& start, const SearchNode& base, Result<void> climb)
{
  if (!climb && !search.stop_requested()) {
    return std::unexpected(std::move(climb.error()));
  }
  HONE_TRY(PolicyOutcome outcome, publish(search, start, base));
  HONE_CHECK(search.add_elapsed_time());
  outcome.comparison_s = search.costs().comparison_s();
  outcome.stopped = search.ended_early() || search.stop_requested();
  if (outcome.best == base.checkpoint.id) {
    outcome.note = why_nothing_applies(search.context());
  }
  if (!search.end_reason().empty()) {
    outcome.note = search.end_reason();
  }
  return outcome;
}

} // namespace hone::policy
