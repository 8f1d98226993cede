#include "policy/options.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "policy/tuning.h"

#include <algorithm>
#include <set>

namespace hone {

namespace {

constexpr int k_look_ahead = 2; // steps tried on top of one that pays later

// From where it stands: tries every transformation, looks ahead from those that pay later, and moves to the best.
class Climb {
public:
  Climb(Session& session, Standing start)
    : m_session(session), m_current(std::move(start)),
      m_tuning_seconds(k_share_of_last_tuning * std::max(0.0, session.search_seconds_left()))
  {
    m_seen.insert(m_current.checkpoint.candidate.hash());
  }

  Result<void> go()
  {
    while (!out_of_time()) {
      HONE_TRY(std::optional<Standing> next, best_move());
      if (!next) {
        break;
      }
      m_current = std::move(*next);
      m_session.tell_finished(m_current.checkpoint.record, m_current.gain, true, "the best move from here",
                              m_current.checkpoint.id);
      HONE_CHECK(m_session.offer(m_current));
    }
    return tune_at_the_end(m_session, m_current);
  }

private:
  bool out_of_time() { return m_session.must_end() || m_session.search_seconds_left() <= m_tuning_seconds; }

  // Where to go next; nothing when no move is worth it.
  Result<std::optional<Standing>> best_move()
  {
    HONE_TRY(const std::vector<Option> options, try_all(m_current));
    std::optional<Standing> best;
    HONE_CHECK(consider_confirmed(m_current, options, best));
    HONE_CHECK(look_ahead(m_current, options, k_look_ahead, best));
    if (!best) {
      HONE_CHECK(consider_neutral(options, best));
    }
    return best;
  }

  // Judges every step that can be carried out here and gives a source that was not seen before.
  Result<std::vector<Option>> try_all(const Standing& from)
  {
    return judge_all(m_session, from, new_attempts(from), m_seen, [this] { return out_of_time(); });
  }

  std::vector<Attempt> new_attempts(const Standing& from)
  {
    std::vector<Attempt> attempts;
    std::set<std::string> sources = m_seen;
    for (const Transformation& transformation : m_session.context().catalogue) {
      if (!m_session.context().engine.costs_nothing() && out_of_time()) {
        break;
      }
      auto candidate = promising_attempt(m_session.context(), from, transformation);
      m_session.look_after_engine();
      if (candidate && sources.insert(candidate->contender.candidate.hash()).second) {
        attempts.push_back(std::move(*candidate));
      }
    }
    return attempts;
  }

  // The fastest option that is a gain over where the climb stands, if it beats `best`.
  Result<void> consider_confirmed(const Standing& from, const std::vector<Option>& options,
                                  std::optional<Standing>& best)
  {
    const Option* fastest = nullptr;
    for (const Option& option : options) {
      const Gain gain = from.gain.times(option.judgement);
      const bool gains = option.decision.choice == Choice::accept && option.judgement.comparison == Comparison::fast
                         && is_confirmed_gain(gain, m_current.gain);
      if (gains && (!best || gain.ratio > best->gain.ratio)
          && (fastest == nullptr || option.judgement.ratio > fastest->judgement.ratio)) {
        fastest = &option;
      }
    }
    if (fastest == nullptr) {
      return {};
    }
    HONE_TRY(best, keep(m_session, from, *fastest));
    return {};
  }

  // Steps that pay later are judged by what can be built on them.
  Result<void> look_ahead(const Standing& from, const std::vector<Option>& options, int depth,
                          std::optional<Standing>& best)
  {
    for (const Option& option : options) {
      if (depth == 0 || option.decision.choice != Choice::keep_open || out_of_time()) {
        continue;
      }
      HONE_TRY(const Standing base, keep(m_session, from, option));
      HONE_TRY(const std::vector<Option> following, try_all(base));
      HONE_CHECK(consider_confirmed(base, following, best));
      HONE_CHECK(look_ahead(base, following, depth - 1, best));
    }
    return {};
  }

  // When nothing is faster, a refactoring that costs nothing may open the way.
  Result<void> consider_neutral(const std::vector<Option>& options, std::optional<Standing>& best)
  {
    const auto neutral = std::ranges::find(options, Choice::accept, [](const Option& o) { return o.decision.choice; });
    if (neutral != options.end()) {
      HONE_TRY(best, keep(m_session, m_current, *neutral));
    }
    return {};
  }

  Session& m_session;
  Standing m_current;
  double m_tuning_seconds;
  std::set<std::string> m_seen; // candidates judged in this run: the same source is never judged twice
};

class GreedyPolicy final : public Policy {
public:
  std::string_view name() const override { return "greedy"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    HONE_TRY(Session session, Session::open(context, context.reserve));
    HONE_TRY(const Standing start, session.start(Depth::glance));
    HONE_TRY(const Standing base, session.base(start));
    return conclude(session, start, base, Climb(session, base).go());
  }
};

} // namespace

std::unique_ptr<Policy> make_greedy_policy()
{
  return std::make_unique<GreedyPolicy>();
}

} // namespace hone
