#include "policy/judged_attempts.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "policy/tuning.h"

#include <algorithm>
#include <set>

namespace hone::policy {

namespace {

constexpr int k_look_ahead = 2; // steps tried on top of one that pays later

// From where it stands: tries every transformation, looks ahead from those that pay later, and moves to the best.
class Climb {
public:
  Climb(SearchRun& search, SearchNode start)
    : m_search(search), m_current(std::move(start)),
      m_tuning_seconds(k_share_of_last_tuning * std::max(0.0, search.search_seconds_left()))
  {
    m_seen.insert(m_current.checkpoint.candidate.hash());
  }

  Result<void> go()
  {
    while (!out_of_time()) {
      HONE_TRY(std::optional<SearchNode> next, best_move());
      if (!next) {
        break;
      }
      m_current = std::move(*next);
      m_search.notify_finished(m_current.checkpoint.record, m_current.gain, true, "the best move from here",
                               m_current.checkpoint.id);
      HONE_CHECK(m_search.offer(m_current));
    }
    return tune_at_the_end(m_search, m_current);
  }

private:
  bool out_of_time()
  {
    return m_search.end_if_due(m_search.step_s()) || m_search.search_seconds_left() <= m_tuning_seconds;
  }

  // Where to go next; nothing when no move is worth it.
  Result<std::optional<SearchNode>> best_move()
  {
    HONE_TRY(const std::vector<JudgedAttempt> options, try_all(m_current));
    std::optional<SearchNode> best;
    HONE_CHECK(consider_confirmed(m_current, options, best));
    HONE_CHECK(look_ahead(m_current, options, k_look_ahead, best));
    if (!best) {
      HONE_CHECK(consider_neutral(options, best));
    }
    return best;
  }

  // Judges every step that can be carried out here and gives a source that was not seen before.
  Result<std::vector<JudgedAttempt>> try_all(const SearchNode& from)
  {
    return judge_all(m_search, from, new_attempts(from), m_seen, [this] { return out_of_time(); });
  }

  std::vector<Attempt> new_attempts(const SearchNode& from)
  {
    std::vector<Attempt> attempts;
    std::set<std::string> sources = m_seen;
    for (const catalogue::Transformation& transformation : m_search.context().catalogue) {
      if (!m_search.context().engine.is_cheap() && out_of_time()) {
        break;
      }
      auto candidate = promising_attempt(m_search.context(), from, transformation);
      m_search.end_if_engine_failed();
      if (candidate && sources.insert(candidate->contender.candidate.hash()).second) {
        attempts.push_back(std::move(*candidate));
      }
    }
    return attempts;
  }

  // The fastest option that is a gain over where the climb stands, if it beats `best`.
  Result<void> consider_confirmed(const SearchNode& from, const std::vector<JudgedAttempt>& options,
                                  std::optional<SearchNode>& best)
  {
    const JudgedAttempt* fastest = nullptr;
    for (const JudgedAttempt& option : options) {
      const Gain gain = from.gain.times(option.judgement);
      const bool gains = option.decision.choice == Choice::accept
                         && option.judgement.comparison == record::Comparison::fast
                         && is_confirmed_gain(gain, m_current.gain);
      if (gains && (!best || gain.ratio > best->gain.ratio)
          && (fastest == nullptr || option.judgement.ratio > fastest->judgement.ratio)) {
        fastest = &option;
      }
    }
    if (fastest == nullptr) {
      return {};
    }
    HONE_TRY(best, add_checkpoint(m_search, from, *fastest));
    return {};
  }

  // Steps that pay later are judged by what can be built on them.
  Result<void> look_ahead(const SearchNode& from, const std::vector<JudgedAttempt>& options, int depth,
                          std::optional<SearchNode>& best)
  {
    for (const JudgedAttempt& option : options) {
      if (depth == 0 || option.decision.choice != Choice::keep_open || out_of_time()) {
        continue;
      }
      HONE_TRY(const SearchNode base, add_checkpoint(m_search, from, option));
      HONE_TRY(const std::vector<JudgedAttempt> following, try_all(base));
      HONE_CHECK(consider_confirmed(base, following, best));
      HONE_CHECK(look_ahead(base, following, depth - 1, best));
    }
    return {};
  }

  // When nothing is faster, a refactoring that costs nothing may open the way.
  Result<void> consider_neutral(const std::vector<JudgedAttempt>& options, std::optional<SearchNode>& best)
  {
    const auto neutral =
      std::ranges::find(options, Choice::accept, [](const JudgedAttempt& o) { return o.decision.choice; });
    if (neutral != options.end()) {
      HONE_TRY(best, add_checkpoint(m_search, m_current, *neutral));
    }
    return {};
  }

  SearchRun& m_search;
  SearchNode m_current;
  double m_tuning_seconds;
  std::set<std::string> m_seen; // candidates judged in this run: the same source is never judged twice
};

class GreedyPolicy final : public Policy {
public:
  std::string_view name() const override { return "greedy"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_publication));
    HONE_TRY(const SearchNode start, search.establish_start(record::Depth::glance));
    HONE_TRY(const SearchNode base, search.establish_base(start));
    return conclude(search, start, base, Climb(search, base).go());
  }
};

} // namespace

std::unique_ptr<Policy> make_greedy_policy()
{
  return std::make_unique<GreedyPolicy>();
}

} // namespace hone::policy
