#include "policy/tuning.h"

#include "tune/cost_model.h"
#include "tune/trial_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::policy {

namespace {

constexpr std::size_t k_point_limit = 4096;  // legal points looked at
constexpr std::size_t k_finalists = 5;       // judged anew, each against the best of those before it
constexpr std::size_t k_most_finalists = 20; // with those that turn out to be wrong: a trial only glances
constexpr double k_judgement_share = 0.4;    // of the session's time, at most: left for judging the winner in full
constexpr std::string_view k_nothing_faster = "no point is confirmed to be faster";

// Whether a full check of a winner still fits before the final comparison, which is a full check, too.
bool has_time_for_full_check(const SearchRun& search)
{
  return search.search_seconds_left() >= search.costs().full_check_s() + search.costs().comparison_s();
}

// Seconds left of the search at which trials end, so that the winner is judged in time.
double end_of_trials(const SearchRun& search, double session_seconds)
{
  const double left = std::max(search.search_seconds_left(), 0.0);
  const double session = std::min(session_seconds, left);
  const double wanted = search.costs().comparison_s() + search.costs().full_check_s();
  return left - session + std::min(wanted, k_judgement_share * session);
}

class TuningSession {
public:
  TuningSession(SearchRun& search, const SearchNode& from, const TuningLimits& limits)
    : m_search(search), m_from(from), m_limits(limits), m_end(end_of_trials(search, limits.seconds))
  {
  }

  Result<SearchNode> run()
  {
    HONE_TRY(const auto strategy, begin());
    HONE_CHECK(try_points(*strategy));
    return confirm_winner();
  }

private:
  Result<std::unique_ptr<tune::Strategy>> begin()
  {
    const PolicyContext& context = m_search.context();
    const kernel::TuningSpace& space = m_from.checkpoint.candidate.plan.tuning;
    Random random(context.seed);
    HONE_TRY(tune::PointList list,
             tune::legal_points(space, context.recipe.sizes, context.device_facts, k_point_limit, random));
    const std::vector<record::Record> known = m_search.trials_of(m_from.checkpoint.id);
    std::erase_if(list.points, [&](const kernel::TuningPoint& point) {
      return point == m_from.checkpoint.point || std::ranges::find(known, point, &record::Record::point) != known.end();
    });
    HONE_TRY(auto strategy, tune::make_strategy(context.tuning_strategy));
    strategy->begin({space, m_from.checkpoint.point, std::move(list.points), context.seed,
                     tune::tile_cost_model(space, context.device_facts)});
    for (const record::Record& record : known) {
      take_in(record, *strategy);
    }
    return strategy;
  }

  Judgement take_in(const record::Record& record, tune::Strategy& strategy)
  {
    const Judgement judgement = judgement_of(record.verdict, m_search.context().recipe.regime);
    const tune::TuningTrial trial{record.point, judgement.correct, judgement.least,
                                  std::string(record::name_of(record.verdict.status)), record.recipe_used.pairs};
    m_standings.add(trial);
    strategy.report(trial);
    return judgement;
  }

  // Tuning takes the time that is left: that it ran out does not mean that the climb was cut short.
  bool out_of_time() const
  {
    return m_search.stop_requested() || m_search.end_at_limits()
           || m_search.search_seconds_left() - m_search.costs().trial_s() <= m_end;
  }

  // A point that was measured before may be measured again beyond the number of points.
  bool may_try(const tune::Proposal& proposal) const
  {
    return m_standings.size() < m_limits.points || m_standings.find(proposal.point) != nullptr;
  }

  Result<void> try_points(tune::Strategy& strategy)
  {
    std::optional<tune::Proposal> proposal = strategy.next();
    while (proposal && may_try(*proposal) && !out_of_time()) {
      // One ahead, so that it is compiled while this one is measured.
      std::optional<tune::Proposal> following = strategy.next();
      HONE_TRY(const record::Record record, judge_point(*proposal, following));
      const Gain gain = m_from.gain.times(take_in(record, strategy));
      m_search.notify_finished(record, gain, false, kernel::to_text(proposal->point));
      proposal = following ? std::move(following) : strategy.next(); // it may have waited for this report
    }
    return {};
  }

  Result<record::Record> judge_point(const tune::Proposal& proposal, const std::optional<tune::Proposal>& following)
  {
    PolicyContext& context = m_search.context();
    const kernel::Candidate& candidate = m_from.checkpoint.candidate;
    if (following) {
      context.executor.prepare({candidate, following->point, {}, {}}, context.recipe);
    }
    m_search.notify_started(k_trial_step, kernel::to_text(proposal.point));
    record::Job job =
      judge_job(context, m_from, {candidate, proposal.point, {}, {}}, k_trial_step, record::Depth::glance);
    job.recipe.pairs = std::clamp(proposal.pairs, 1, job.recipe.pairs);
    return m_standings.find(proposal.point) == nullptr ? m_search.run(job) : m_search.run_again(job);
  }

  // The points that looked faster, fastest first. The fastest of many is partly luck: they are judged anew, whatever
  // the strategy made of them.
  std::vector<kernel::TuningPoint> finalists() const
  {
    std::vector<kernel::TuningPoint> result;
    for (const tune::RankedPoint& ranked : m_standings.fastest()) {
      if (ranked.log_ratio > 0 && result.size() < k_most_finalists) {
        result.push_back(ranked.point);
      }
    }
    return result;
  }

  Result<SearchNode> confirm_winner()
  {
    PolicyContext& context = m_search.context();
    const kernel::Candidate& candidate = m_from.checkpoint.candidate;
    SearchNode best = m_from;
    bool first = true;
    std::size_t right = 0;
    for (const kernel::TuningPoint& point : finalists()) {
      // Time was left for one; further ones only where it lasts.
      const bool enough = right == k_finalists || m_search.stop_requested();
      if (enough || (!std::exchange(first, false) && m_search.end_if_due(m_search.costs().comparison_s()))) {
        break;
      }
      m_search.notify_started(k_tune_step, kernel::to_text(point));
      // Where time is short, a winner is checked like any step, and in full by the final comparison.
      const bool in_full = m_search.ends() == Ends::with_search || has_time_for_full_check(m_search);
      const record::Job job = judge_job(context, best, {candidate, point, {}, {}}, k_tune_step,
                                        in_full ? record::Depth::promote : record::Depth::screen);
      HONE_TRY(const record::Record record, m_search.run(job));
      const Decision decision = decide(catalogue::Speed::faster, record.verdict, context.recipe.regime);
      const bool accepted = decision.choice == Choice::accept;
      right += record.verdict.status == record::Status::correct ? 1 : 0;
      const Gain gain = best.gain.times(judgement_of(record.verdict, context.recipe.regime));
      if (accepted) {
        HONE_TRY(best, m_search.add_checkpoint(best, candidate, record));
      }
      m_search.notify_finished(record, gain, accepted, accepted ? kernel::to_text(record.point) : decision.reason,
                               accepted ? best.checkpoint.id : "");
    }
    if (best.checkpoint.id == m_from.checkpoint.id) {
      tell_nothing_faster();
    }
    return best;
  }

  void tell_nothing_faster() const
  {
    Progress progress;
    progress.step = k_tune_step;
    progress.status = "done";
    progress.finished = true;
    progress.speedup = m_from.gain.ratio;
    progress.note = fmt::format("{} points tried: {}", m_standings.size(), k_nothing_faster);
    m_search.notify(std::move(progress));
  }

  SearchRun& m_search;
  const SearchNode& m_from;
  TuningLimits m_limits;
  double m_end; // seconds left of the search at which trials end
  tune::TrialRanking m_standings;
};

} // namespace

Result<SearchNode> tune(SearchRun& search, const SearchNode& from, const TuningLimits& limits)
{
  if (from.checkpoint.candidate.plan.tuning.parameters.empty()) {
    return from;
  }
  return TuningSession(search, from, limits).run();
}

Result<std::string> tune_checkpoint(PolicyContext& context, const std::string& checkpoint, std::size_t max_points)
{
  HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_search));
  HONE_TRY(const SearchNode from, search.node(checkpoint));
  const TuningLimits limits{max_points, search.search_seconds_left()};
  auto tuned = tune(search, from, limits);
  if (!tuned) {
    return search.stop_requested() ? Result<std::string>(from.checkpoint.id)
                                   : std::unexpected(std::move(tuned.error()));
  }
  HONE_TRY(const std::optional<store::Checkpoint> best, context.workflow.best());
  if (tuned->checkpoint.id != from.checkpoint.id && (!best || best->id == from.checkpoint.id)) {
    HONE_CHECK(context.workflow.set_best(tuned->checkpoint.id));
  }
  return tuned->checkpoint.id;
}

Result<void> tune_at_the_end(SearchRun& search, const SearchNode& best)
{
  constexpr std::size_t k_points = 100000; // the budget ends the session, not a number of points
  constexpr double k_seconds = 1e9;
  if (search.end_if_due()) {
    return {};
  }
  HONE_TRY(const SearchNode tuned, tune(search, best, {k_points, k_seconds}));
  return tuned.checkpoint.id == best.checkpoint.id ? Result<void>() : search.offer(tuned);
}

} // namespace hone::policy
