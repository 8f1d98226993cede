#include "policy/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone {

namespace {

constexpr std::size_t k_point_limit = 4096; // legal points looked at
constexpr int k_trial_pairs = 2;            // a trial only ranks; the winner is judged anew with all pairs
constexpr std::size_t k_finalists = 5;      // judged anew, each against the best of those before it
constexpr double k_validation_seconds = 8;  // left for the winner's full validation
constexpr std::string_view k_nothing_faster = "no point is confirmed to be faster";

struct Trial {
  Record record;
  Judgement judgement;
};

class TuningSession {
public:
  TuningSession(Session& session, const Standing& from, const TuningLimits& limits)
    : m_session(session), m_from(from), m_limits(limits),
      m_end(std::max(session.search_seconds_left() - limits.seconds, 0.0) + k_validation_seconds)
  {
  }

  Result<Standing> run()
  {
    HONE_TRY(const auto strategy, begin());
    HONE_CHECK(try_points(*strategy));
    return confirm_winner();
  }

private:
  Result<std::unique_ptr<Strategy>> begin()
  {
    const PolicyContext& context = m_session.context();
    const TuningSpace& space = m_from.checkpoint.candidate.plan.tuning;
    Random random(context.seed);
    HONE_TRY(PointList list, legal_points(space, context.recipe.sizes, context.device_facts, k_point_limit, random));
    const std::vector<Record> known = m_session.trials_of(m_from.checkpoint.id);
    std::erase_if(list.points, [&](const TuningPoint& point) {
      return point == m_from.checkpoint.point || std::ranges::find(known, point, &Record::point) != known.end();
    });
    HONE_TRY(auto strategy, make_strategy(context.tuning_strategy));
    strategy->begin(space, m_from.checkpoint.point, std::move(list.points), context.seed);
    for (const Record& record : known) {
      take_in(record, *strategy);
    }
    return strategy;
  }

  Judgement take_in(const Record& record, Strategy& strategy)
  {
    const Judgement judgement = judgement_of(record.verdict, m_session.context().recipe.regime);
    strategy.report({record.point, judgement.correct, judgement.least, std::string(name_of(record.verdict.status))});
    m_trials.push_back({record, judgement});
    return judgement;
  }

  // Tuning takes the time that is left: that it ran out does not mean that the climb was cut short.
  bool out_of_time() const { return m_session.stop_requested() || m_session.search_seconds_left() <= m_end; }

  Result<void> try_points(Strategy& strategy)
  {
    std::optional<TuningPoint> point = strategy.next();
    while (point && m_trials.size() < m_limits.points && !out_of_time()) {
      // One ahead, so that it is compiled while this one is measured.
      std::optional<TuningPoint> following = strategy.next();
      HONE_TRY(const Record record, judge_point(*point, following));
      const Gain gain = m_from.gain.times(take_in(record, strategy));
      m_session.tell_finished(record, gain, false, to_text(*point));
      point = std::move(following);
    }
    return {};
  }

  Result<Record> judge_point(const TuningPoint& point, const std::optional<TuningPoint>& following)
  {
    PolicyContext& context = m_session.context();
    const Candidate& candidate = m_from.checkpoint.candidate;
    if (following) {
      context.executor.prepare({candidate, *following, {}, {}}, context.recipe);
    }
    m_session.tell_started(k_trial_step, to_text(point));
    Job job = judge_job(context, m_from, {candidate, point, {}, {}}, k_trial_step, Depth::screen);
    job.recipe.pairs = std::min(job.recipe.pairs, k_trial_pairs);
    return m_session.run(job);
  }

  // The trials that looked faster, fastest first. The fastest of many is partly luck: they are judged anew.
  std::vector<Trial> finalists() const
  {
    std::vector<Trial> result;
    std::ranges::copy_if(m_trials, std::back_inserter(result), [](const Trial& trial) {
      return trial.judgement.correct && trial.judgement.comparison != Comparison::slow && trial.judgement.ratio > 1;
    });
    std::ranges::stable_sort(result, std::ranges::greater(), [](const Trial& trial) { return trial.judgement.least; });
    result.resize(std::min(result.size(), k_finalists));
    return result;
  }

  Result<Standing> confirm_winner()
  {
    PolicyContext& context = m_session.context();
    const Candidate& candidate = m_from.checkpoint.candidate;
    Standing best = m_from;
    bool first = true;
    for (const Trial& trial : finalists()) {
      // Time was left for one; further ones only where it lasts.
      if (m_session.stop_requested() || (!std::exchange(first, false) && m_session.must_end())) {
        break;
      }
      m_session.tell_started(k_tune_step, to_text(trial.record.point));
      const Job job = judge_job(context, best, {candidate, trial.record.point, {}, {}}, k_tune_step, Depth::promote);
      HONE_TRY(const Record record, m_session.run(job));
      const Decision decision = decide(Speed::faster, record.verdict, context.recipe.regime);
      const bool accepted = decision.choice == Choice::accept;
      const Gain gain = best.gain.times(judgement_of(record.verdict, context.recipe.regime));
      m_session.tell_finished(record, gain, accepted, accepted ? to_text(record.point) : decision.reason);
      if (accepted) {
        HONE_TRY(best, m_session.keep(best, candidate, record));
      }
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
    progress.note = fmt::format("{} points tried: {}", m_trials.size(), k_nothing_faster);
    m_session.tell(std::move(progress));
  }

  Session& m_session;
  const Standing& m_from;
  TuningLimits m_limits;
  double m_end; // seconds left of the search at which trials end
  std::vector<Trial> m_trials;
};

} // namespace

Result<Standing> tune(Session& session, const Standing& from, const TuningLimits& limits)
{
  if (from.checkpoint.candidate.plan.tuning.parameters.empty()) {
    return from;
  }
  return TuningSession(session, from, limits).run();
}

Result<std::string> tune_checkpoint(PolicyContext& context, const std::string& checkpoint, std::size_t max_points)
{
  HONE_TRY(Session session, Session::open(context, std::chrono::seconds(0)));
  HONE_TRY(const Standing from, session.standing(checkpoint));
  const TuningLimits limits{max_points, session.search_seconds_left()};
  auto tuned = tune(session, from, limits);
  if (!tuned) {
    return session.stop_requested() ? Result<std::string>(from.checkpoint.id)
                                    : std::unexpected(std::move(tuned.error()));
  }
  HONE_TRY(const std::optional<Checkpoint> best, context.workflow.best());
  if (tuned->checkpoint.id != from.checkpoint.id && (!best || best->id == from.checkpoint.id)) {
    HONE_CHECK(context.workflow.set_best(tuned->checkpoint.id));
  }
  return tuned->checkpoint.id;
}

} // namespace hone
