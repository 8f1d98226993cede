#include "policy/judged_attempts.h"
#include "policy/policies.h"
#include "policy/publish.h"
#include "policy/tuning.h"
#include "util/random.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace hone::policy {

namespace {

constexpr std::size_t k_beam = 3;              // candidates that go on to the next round
constexpr std::size_t k_plans = 4;             // steps tried on each of them in a round
constexpr std::uint64_t k_one_left_out_of = 4; // of a menu's steps in a round, so that rounds do not look alike
constexpr double k_early_share = 0.5;       // of the search's time, in which a step may be slower for what follows it
constexpr const char* k_seed = "beam.seed"; // a remembered name

// Goes on from several candidates at once. In each round every one of them is offered a few of the steps that it was
// not offered yet; the fastest go on. Early on, the best of those that pay later has a seat of its own.
class Beam {
public:
  Beam(SearchRun& search, SearchNode start, std::uint64_t seed)
    : m_search(search), m_random(seed),
      m_search_seconds(std::max(0.0, search.search_seconds_left())), m_beam{std::move(start)}
  {
    m_seen.insert(m_beam.front().checkpoint.candidate.hash());
  }

  Result<void> go()
  {
    while (!out_of_time()) {
      HONE_TRY(const bool anything, round());
      if (!anything && m_left_out.empty()) {
        break;
      }
    }
    return tune_at_the_end(m_search, *std::ranges::max_element(m_beam, {}, ratio_of));
  }

private:
  static double ratio_of(const SearchNode& node) { return node.gain.ratio; }

  bool out_of_time()
  {
    return m_search.end_if_due(m_search.step_s())
           || m_search.search_seconds_left() <= k_share_of_last_tuning * m_search_seconds;
  }
  bool is_early() const { return m_search.search_seconds_left() > (1 - k_early_share) * m_search_seconds; }

  // Whether there was anything to judge.
  Result<bool> round()
  {
    std::vector<SearchNode> next = m_beam, open;
    bool anything = false;
    m_left_out.clear();
    for (const SearchNode& from : m_beam) {
      HONE_TRY(const std::vector<JudgedAttempt> options,
               judge_all(m_search, from, new_attempts(from), m_seen, [this] { return out_of_time(); }));
      anything = anything || !options.empty();
      for (const JudgedAttempt& option : options) {
        if (option.decision.choice == Choice::reject || (option.decision.choice == Choice::keep_open && !is_early())) {
          continue;
        }
        HONE_TRY(SearchNode kept, add_checkpoint(m_search, from, option));
        if (option.decision.choice == Choice::keep_open) {
          open.push_back(std::move(kept));
          continue;
        }
        m_search.notify_finished(kept.checkpoint.record, kept.gain, true, "goes on in the beam", kept.checkpoint.id);
        HONE_CHECK(offer_if_faster(kept));
        next.push_back(std::move(kept));
      }
    }
    choose(std::move(next), std::move(open));
    return anything;
  }

  // What stands on a step that was kept open is a gain only over what that stood on.
  Result<void> offer_if_faster(const SearchNode& node)
  {
    return is_confirmed_gain(node.gain, Gain{}) ? m_search.offer(node) : Result<void>();
  }

  // At most k_plans of those that this candidate was not offered; some wait for a later round.
  std::vector<Attempt> new_attempts(const SearchNode& from)
  {
    const PolicyContext& context = m_search.context();
    std::vector<Attempt> attempts;
    std::vector<const catalogue::Transformation*> menu;
    for (const catalogue::Transformation& transformation : context.catalogue) {
      menu.push_back(&transformation);
    }
    std::shuffle(menu.begin(), menu.end(), m_random);
    std::set<std::string> sources = m_seen;
    for (const catalogue::Transformation* transformation : menu) {
      const std::pair plan{from.checkpoint.id, transformation->name};
      if (m_offered.contains(plan)) {
        continue;
      }
      if (attempts.size() == k_plans || m_random.below(k_one_left_out_of) == 0) {
        m_left_out.insert(plan);
        continue;
      }
      if (!context.engine.is_cheap() && out_of_time()) {
        break;
      }
      m_offered.insert(plan);
      auto candidate = promising_attempt(context, from, *transformation);
      m_search.end_if_engine_failed();
      if (candidate && sources.insert(candidate->contender.candidate.hash()).second) {
        attempts.push_back(std::move(*candidate));
      }
    }
    return attempts;
  }

  void choose(std::vector<SearchNode> next, std::vector<SearchNode> open)
  {
    std::ranges::stable_sort(next, std::ranges::greater(), ratio_of);
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(std::min(next.size(), k_beam)), next.end());
    if (!open.empty()) {
      next.push_back(*std::ranges::max_element(open, {}, ratio_of));
    }
    m_beam = std::move(next);
  }

  SearchRun& m_search;
  Random m_random;
  double m_search_seconds;
  std::vector<SearchNode> m_beam;
  std::set<std::string> m_seen; // candidates judged in this run: the same source is never judged twice
  std::set<std::pair<std::string, std::string>> m_offered;  // checkpoint and step
  std::set<std::pair<std::string, std::string>> m_left_out; // in this round
};

// A climb that is resumed asks for the same jobs in the same order.
Result<std::uint64_t> seed_of(const PolicyContext& context)
{
  HONE_TRY(const std::string known, context.workflow.recall(k_seed));
  std::uint64_t seed = context.seed;
  if (std::from_chars(known.data(), known.data() + known.size(), seed).ec == std::errc()) {
    return seed;
  }
  HONE_CHECK(context.workflow.remember(k_seed, std::to_string(seed)));
  return seed;
}

class BeamPolicy final : public Policy {
public:
  std::string_view name() const override { return "beam"; }

  Result<PolicyOutcome> run(PolicyContext& context) override
  {
    HONE_TRY(SearchRun search, SearchRun::open(context, Ends::with_publication));
    HONE_TRY(const SearchNode start, search.establish_start(record::Depth::glance));
    HONE_TRY(const SearchNode base, search.establish_base(start));
    HONE_TRY(const std::uint64_t seed, seed_of(context));
    return conclude(search, start, base, Beam(search, base, seed).go());
  }
};

} // namespace

std::unique_ptr<Policy> make_beam_policy()
{
  return std::make_unique<BeamPolicy>();
}

} // namespace hone::policy
