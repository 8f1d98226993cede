// Long because the protocol of a comparison reads in one piece: rounds, rules, verdict, second looks.
#include "gate/compare.h"

#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace hone::gate {
namespace {

constexpr double k_short_call_s = 100e-6; // below this, one call is too short to say how long calls are
constexpr std::uint32_t k_probe_calls = 16;
constexpr int k_pairs_of_a_verdict = 4; // with fewer, a comparison only ranks
constexpr std::size_t k_probe_bytes = 32U << 20;
constexpr std::uint32_t k_twofold_blocks = 3;
constexpr std::size_t k_slow_pairs = 2;
constexpr double k_far_apart = 4; // while searching, first calls of which one is slow tell this much by themselves

// Small wins in the cold regime may come from where the code lies; the same code elsewhere tells.
constexpr double k_small_win = 1.10;
constexpr double k_placement_matters_s = 100e-6;
constexpr std::size_t k_other_offsets[] = {64, 192};
constexpr std::size_t k_placement_pairs = 2;

// Calls on unseen values beside the timed ones, whose values repeat: what is kept from call to call is missing in them.
constexpr double k_kept_share = 0.25;     // of a timed call that a call on unseen values may take longer,
constexpr double k_kept_s = 10e-6;        // and this,
constexpr double k_kept_by_incumbent = 2; // and so many times what the incumbent takes longer,
constexpr double k_gain_unseen = 0.5;     // as long as this share of the time that it gained shows there, too
constexpr double k_unseen_s = 0.2;        // of such calls, per arm
constexpr std::size_t k_unseen_turns = 4;
constexpr double k_fewest_unseen = 3;
constexpr double k_most_unseen = 31;

constexpr std::uint32_t k_most_sets = 4096;
constexpr double k_ring_over_cache = 1.6;
constexpr double k_calls_in_ring = 2;         // so many times the calls of a pair: a ring that would never come round
constexpr double k_sets_of_single_calls = 16; // written around the caches right before each
constexpr double k_drawn_share = 0.22;        // of a ring: what is left, 1.25 caches, lies between two calls of a set
constexpr double k_memory_share = 0.25;       // of what is free, for one arena

// Time that the runner worked: what other programs took on a busy machine says nothing about how long calls are.
double working_s(const BlockRecord& block)
{
  return std::max(std::min(block.wall_s, block.child_cpu_s), 1e-9);
}

// What programs can get: the page cache gives way to them, and sysconf counts only what lies idle.
double available_bytes()
{
  for (const std::string& line : split(read_file("/proc/meminfo").value_or(""), '\n')) {
    long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %ld kB", &kib) == 1) {
      return 1024.0 * static_cast<double>(kib);
    }
  }
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Of every two that follow one another one, drawn.
class OneOfTwo {
public:
  bool next(Random& random)
  {
    m_first = !m_first;
    m_drawn = m_first ? random.below(2) == 0 : !m_drawn;
    return m_drawn;
  }

private:
  bool m_first = false, m_drawn = false;
};

class Session {
public:
  Session(const CompareRequest& request, BlockSource& source)
    : m_request(request), m_source(source), m_random(request.seed)
  {
  }

  Result<CompareOutcome> run()
  {
    HONE_TRY(m_set_bytes, m_source.bytes_of_set());
    HONE_TRY(const bool probed, probe());
    if (!probed) {
      return failed();
    }
    HONE_TRY(CompareOutcome outcome, compare_by(rule_for(m_call_s[0], m_call_s[1], searching())));
    if (!outcome.failure && outcome.result.verdict == record::Comparison::fast && small_cold_win(outcome.result)) {
      HONE_TRY(const bool holds, holds_elsewhere(*outcome.result.explanation));
      if (m_failure) {
        return failed();
      }
      if (!holds) {
        outcome.result.verdict = record::Comparison::ambiguous;
        outcome.result.reason = "placement: the gain does not hold at other code offsets";
      }
    }
    if (m_request.repeats_inputs && m_request.settle_doubt && outcome.result.verdict == record::Comparison::fast) {
      HONE_CHECK(look_for_kept_results(outcome.result));
      if (m_failure) {
        return failed();
      }
    }
    if (outcome.result.explanation) {
      outcome.result.explanation->on_clock_s = m_on_clock_s;
    }
    return outcome;
  }

private:
  CompareOutcome failed() const { return {m_failure, {}}; }

  bool searching() const { return !m_request.settle_doubt; }
  bool has_slow_call() const { return rule_for(m_call_s[0], m_call_s[1]) == TimingRule::slow; }

  Result<CompareOutcome> compare_by(TimingRule rule)
  {
    std::vector<PairRecord> pairs;
    if (rule == TimingRule::slow) {
      pairs.push_back(m_first_calls); // a first call this long is a measurement like any other
    }
    HONE_TRY(std::vector<PairRecord> further, record_pairs(rule, pairs.size(), pairs_for(rule), 0));
    if (m_failure) {
      return failed();
    }
    std::ranges::move(further, std::back_inserter(pairs));
    CompareOutcome outcome{std::nullopt, decide(pairs, rule)};
    enter_round(outcome.result, rule);
    if (rule == TimingRule::unanimous && needs_more(outcome.result)) {
      const bool open = outcome.result.verdict == record::Comparison::ambiguous;
      m_rounds.back().then = open ? "left open: as many pairs again"
                             : is_gain_retracted(outcome.result)
                               ? "rare long calls take half of it back: as many pairs again"
                               : "small, or small beside the pairs' spread: as many pairs again";
      HONE_TRY(further, record_pairs(rule, pairs.size(), 2 * pairs.size(), 0));
      if (m_failure) {
        return failed();
      }
      std::ranges::move(further, std::back_inserter(pairs));
      outcome.result = decide(pairs, rule);
      enter_round(outcome.result, rule);
    }
    const bool by_first_calls = rule == TimingRule::twofold || (rule == TimingRule::slow && !has_slow_call());
    if (by_first_calls && outcome.result.verdict != side_of_first_calls()) {
      m_rounds.back().then = "not what the first calls said: the full rule";
      return compare_by(TimingRule::unanimous); // the first calls misled
    }
    outcome.result.regime = m_request.regime;
    record::Explanation& explanation = *outcome.result.explanation;
    explanation.rule = m_rounds.back().rule;
    explanation.candidate_first_s = m_call_s[0];
    explanation.incumbent_first_s = m_call_s[1];
    explanation.rounds = m_rounds;
    return outcome;
  }

  void enter_round(const record::ComparisonResult& result, TimingRule rule)
  {
    const bool only_while_searching = rule == TimingRule::slow && !has_slow_call();
    m_rounds.push_back({only_while_searching ? "searching" : std::string(word_of(rule)),
                        static_cast<int>(result.pair_ratios.size()),
                        result.verdict,
                        {}});
  }

  record::Comparison side_of_first_calls() const
  {
    return m_call_s[0] < m_call_s[1] ? record::Comparison::fast : record::Comparison::slow;
  }

  bool needs_more(const record::ComparisonResult& result) const
  {
    if (m_request.recipe.pairs < k_pairs_of_a_verdict || result.verdict == record::Comparison::same) {
      return false;
    }
    if (result.verdict == record::Comparison::ambiguous) {
      return m_request.settle_doubt;
    }
    return may_be_chance(result) || is_gain_retracted(result);
  }

  std::size_t pairs_for(TimingRule rule) const
  {
    const auto wanted = static_cast<std::size_t>(m_request.recipe.pairs);
    if (rule != TimingRule::slow) {
      return wanted;
    }
    const auto [faster, slower] = std::ranges::minmax(m_call_s);
    const bool enough = searching() && slower > k_far_apart * faster;
    return std::min(wanted, enough ? 1 : k_slow_pairs);
  }

  double mean_call_s() const { return (m_call_s[0] + m_call_s[1]) / 2; }
  PairBudget budget_of_pair(const BlockPlan& plan) const
  {
    return pair_budget(mean_call_s(), plan, m_request.recipe.seconds_per_pair);
  }

  // As many sets in an arena as wanted and as memory allows.
  std::uint32_t sets_for(double wanted) const
  {
    const double host_bytes = available_bytes() + static_cast<double>(m_source.bytes_held());
    const auto device_bytes = static_cast<double>(m_request.device_memory) / k_arms; // each arm has copies of its own
    const double free_bytes = device_bytes > 0 ? std::min(device_bytes, host_bytes) : host_bytes;
    const double most =
      std::clamp(k_memory_share * free_bytes / static_cast<double>(m_set_bytes), 2.0, double{k_most_sets});
    return static_cast<std::uint32_t>(std::clamp(wanted, 2.0, most));
  }

  // More than the last-level cache holds, unless a pair has not that many calls: then each has a set of its own. Of
  // calls that are a block each no data wait, and no cache holds what is written only then.
  double sets_of_ring(const BlockPlan& plan) const
  {
    const double beyond_cache =
      std::ceil(k_ring_over_cache * static_cast<double>(m_request.last_level_cache) / static_cast<double>(m_set_bytes));
    const double enough = plan.longest + plan.settle == 1
                            ? k_sets_of_single_calls
                            : k_calls_in_ring * calls_of_pair(budget_of_pair(plan), plan, mean_call_s());
    return std::min(beyond_cache, enough);
  }

  PairSpec next_pair(std::uint32_t sets, std::size_t drawn_from, std::size_t code_offset)
  {
    return {sets, drawn_from, m_random.next(), code_offset};
  }

  // Never so many that a block would meet a set twice.
  std::size_t drawn_from(const BlockPlan& plan) const
  {
    if (m_request.regime == record::Regime::hot) {
      return 1;
    }
    const std::uint32_t block = plan.longest + plan.settle;
    const auto share = static_cast<std::uint32_t>(k_drawn_share * m_sets);
    return std::min(share, m_sets - std::min(block, m_sets));
  }

  // How long calls take, from the first calls of both arms.
  Result<bool> probe()
  {
    // Only short calls are asked for more than once, and calls on large data are not short.
    const bool small = m_set_bytes * (1 + k_probe_calls) <= k_probe_bytes;
    const std::uint32_t sets = small ? sets_for(1 + k_probe_calls) : 2;
    HONE_TRY(m_failure, m_source.open_pair(next_pair(sets, 1, 0), m_random));
    if (m_failure) {
      return false;
    }
    for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
      if (arm == Arm::incumbent && one_call_tells_both()) {
        m_first_calls.blocks[1] = m_first_calls.blocks[0];
        m_call_s[1] = m_call_s[0];
        break;
      }
      HONE_CHECK(probe_arm(arm, std::min(k_probe_calls, sets - 1)));
      if (m_failure) {
        return false;
      }
    }
    m_source.end_pair();
    return true;
  }

  // A slow start is measured against itself, and while searching its time need not be exact.
  bool one_call_tells_both() const
  {
    return searching() && m_request.recipe.pairs == 1 && m_request.candidate.module != nullptr
           && m_request.candidate.module == m_request.incumbent.module
           && rule_for(m_call_s[0], m_call_s[0]) == TimingRule::slow;
  }

  Result<void> probe_arm(Arm arm, std::uint32_t calls)
  {
    double& call_s = m_call_s[static_cast<std::size_t>(arm)];
    std::vector<BlockRecord>& blocks = m_first_calls.blocks[static_cast<std::size_t>(arm)];
    HONE_CHECK(add_block(arm, 1, 0, blocks));
    if (!m_failure && working_s(blocks.back()) < k_short_call_s) {
      HONE_CHECK(add_block(arm, calls, 1, blocks));
    }
    if (!m_failure) {
      call_s = working_s(blocks.back()) / blocks.back().calls;
    }
    return {};
  }

  // On failure of the arm, m_failure is set.
  Result<void> add_block(Arm arm, std::uint32_t calls, std::uint32_t settle, std::vector<BlockRecord>& blocks)
  {
    if (m_request.stop.stop_requested()) {
      return fail("stopped while measuring");
    }
    HONE_TRY(BlockSource::Block block, m_source.run_block(arm, calls, settle));
    if (!block && m_request.stop.stop_requested()) {
      return fail("stopped while measuring"); // a block may have been cancelled
    }
    if (!block) {
      m_failure = std::move(block.error());
    } else {
      m_on_clock_s += block->wall_s;
      blocks.push_back(*block);
    }
    return {};
  }

  Result<std::vector<PairRecord>> record_pairs(TimingRule rule, std::size_t first, std::size_t end,
                                               std::size_t code_offset)
  {
    std::vector<PairRecord> pairs;
    const BlockPlan wanted = block_plan(mean_call_s(), k_most_sets);
    if (m_sets == 0) {
      const double block = wanted.longest + wanted.settle;
      m_sets = sets_for(m_request.regime == record::Regime::cold ? std::max(block, sets_of_ring(wanted)) : block);
    }
    const std::uint32_t sets = m_sets;
    const BlockPlan plan = block_plan(mean_call_s(), sets);
    for (std::size_t i = first; i < end && !m_failure; ++i) {
      HONE_TRY(m_failure, m_source.open_pair(next_pair(sets, drawn_from(plan), code_offset), m_random));
      if (m_failure) {
        break;
      }
      PairRecord record;
      HONE_CHECK(run_pair(rule, plan, record));
      if (is_stress_block_due(rule, plan)) {
        HONE_CHECK(run_stress_block(plan));
      }
      pairs.push_back(std::move(record));
      m_source.end_pair();
    }
    return pairs;
  }

  // Where a block is one long call, one of every two pairs, drawn, until all kinds of values came; where there are too
  // few pairs for that, each.
  bool is_stress_block_due(TimingRule rule, const BlockPlan& plan)
  {
    if (searching() || m_failure) {
      return false;
    }
    const bool brief = plan.longest + plan.settle > 1;
    if (brief || 2 * m_source.stress_kinds() > pairs_for(rule)) {
      return true;
    }
    const bool due = m_stress_blocks < m_source.stress_kinds() && m_stress_pairs.next(m_random);
    m_stress_blocks += due ? 1 : 0;
    return due;
  }

  // Who found out that it is timed by now computes as if it were: that must be right with any values.
  Result<void> run_stress_block(const BlockPlan& plan)
  {
    HONE_TRY(BlockSource::Block block, m_source.run_stress_block(Arm::candidate, plan.longest, plan.settle));
    if (!block) {
      m_failure = std::move(block.error());
    }
    return {};
  }

  Result<void> run_pair(TimingRule rule, const BlockPlan& plan, PairRecord& record)
  {
    switch (rule) {
    case TimingRule::unanimous:
      return run_quads(plan, record);
    case TimingRule::twofold: {
      const bool single = m_call_s[0] + m_call_s[1] > 2 * k_twofold_single_call_s;
      for (std::uint32_t i = 0; i < k_twofold_blocks && !m_failure; ++i) {
        HONE_CHECK(run_both(single ? 1 : plan.longest, plan.settle, record));
      }
      return {};
    }
    case TimingRule::slow:
      return run_both(1, 0, record);
    }
    return {};
  }

  Result<void> run_quads(const BlockPlan& plan, PairRecord& record)
  {
    const PairBudget budget = budget_of_pair(plan);
    double cpu_s = 0, wall_s = 0;
    for (std::uint32_t quads = 0; goes_on(budget, quads, cpu_s, wall_s) && !m_failure; ++quads) {
      HONE_CHECK(run_quad(plan, record));
      for (const std::vector<BlockRecord>& blocks : record.blocks) {
        for (const BlockRecord& block : std::span(blocks).last(std::min<std::size_t>(blocks.size(), 2))) {
          cpu_s += working_s(block);
          wall_s += block.wall_s;
        }
      }
    }
    return {};
  }

  // ABBA or BAAB, all four blocks of one drawn length.
  Result<void> run_quad(const BlockPlan& plan, PairRecord& record)
  {
    const auto calls = plan.shortest + static_cast<std::uint32_t>(m_random.below(plan.longest - plan.shortest + 1));
    const Arm outer = m_random.below(2) == 0 ? Arm::candidate : Arm::incumbent;
    const Arm inner = outer == Arm::candidate ? Arm::incumbent : Arm::candidate;
    return run_blocks({outer, inner, inner, outer}, calls, plan.settle, record);
  }

  // One block of each arm, the order turned round every time.
  Result<void> run_both(std::uint32_t calls, std::uint32_t settle, PairRecord& record)
  {
    m_incumbent_first = !m_incumbent_first;
    return m_incumbent_first ? run_blocks({Arm::incumbent, Arm::candidate}, calls, settle, record)
                             : run_blocks({Arm::candidate, Arm::incumbent}, calls, settle, record);
  }

  Result<void> run_blocks(std::initializer_list<Arm> arms, std::uint32_t calls, std::uint32_t settle,
                          PairRecord& record)
  {
    for (const Arm arm : arms) {
      HONE_CHECK(add_block(arm, calls, settle, record.blocks[static_cast<std::size_t>(arm)]));
      if (m_failure) {
        break;
      }
    }
    return {};
  }

  bool small_cold_win(const record::ComparisonResult& result) const
  {
    return m_request.places_code && m_request.regime == record::Regime::cold && result.ratio < k_small_win
           && result.candidate.median < k_placement_matters_s;
  }

  Result<bool> holds_elsewhere(record::Explanation& explanation)
  {
    for (const std::size_t offset : k_other_offsets) {
      HONE_TRY(const std::vector<PairRecord> pairs, record_pairs(TimingRule::unanimous, 0, k_placement_pairs, offset));
      if (m_failure) {
        return false;
      }
      std::vector<double> ratios = decide(pairs, TimingRule::unanimous).pair_ratios;
      const bool holds = std::ranges::all_of(ratios, [](double ratio) { return ratio > 1; });
      explanation.elsewhere.push_back({static_cast<int>(offset), std::move(ratios)});
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  // The medians of several calls of each arm, in turns: what slows one down on a busy machine slows down the other.
  Result<std::array<double, k_arms>> unseen_calls_s(std::size_t calls)
  {
    std::array<std::vector<double>, k_arms> seconds;
    for (std::size_t turn = 0; turn < k_unseen_turns; ++turn) {
      for (std::size_t arm = 0; arm < k_arms; ++arm) {
        while (seconds[arm].size() < calls * (turn + 1) / k_unseen_turns) {
          HONE_TRY(const BlockSource::Block block, m_source.run_unseen(static_cast<Arm>(arm)));
          if (!block) {
            m_failure = block.error();
            return std::array<double, k_arms>{};
          }
          m_on_clock_s += block->wall_s;
          seconds[arm].push_back(working_s(*block));
        }
      }
    }
    return std::array{median(seconds[0]), median(seconds[1])};
  }

  // Sets m_failure. A busy machine must be wrong three times to accuse an honest candidate. What calls one by one cost
  // beyond calls in blocks, the incumbent says; but where it is that much, a gain is given only if it shows there, too.
  Result<void> look_for_kept_results(record::ComparisonResult& timed)
  {
    HONE_TRY(m_failure, m_source.open_pair(next_pair(2, 1, 0), m_random));
    if (m_failure) {
      return {};
    }
    const double both_s = timed.candidate.median + timed.incumbent.median;
    const auto calls = static_cast<std::size_t>(std::clamp(k_unseen_s / both_s, k_fewest_unseen, k_most_unseen));
    const double allowed = k_kept_share * timed.candidate.median + k_kept_s;
    double longer = 0;
    bool excused = false;
    for (const std::size_t times : {1, 2, 4}) {
      HONE_TRY(const auto unseen, unseen_calls_s(times * calls));
      if (m_failure) {
        return {};
      }
      const auto [ours, theirs] = unseen;
      longer = ours - timed.candidate.median;
      excused = longer <= allowed + k_kept_by_incumbent * std::max(0.0, theirs - timed.incumbent.median);
      const bool gains = theirs - ours >= k_gain_unseen * (timed.incumbent.median - timed.candidate.median);
      if (longer <= allowed || (excused && gains)) {
        m_source.end_pair();
        return {};
      }
    }
    m_source.end_pair();
    if (excused) {
      timed.verdict = record::Comparison::ambiguous;
      timed.reason = "unseen values: the gain does not show on values that were never there before";
      return {};
    }
    m_failure = ArmFailure{Arm::candidate,
                           {record::Status::rejected,
                            fmt::format("keeps results: on values that it has not seen it takes {:.2f} times as long",
                                        1 + longer / timed.candidate.median),
                            {}}};
    return {};
  }

  const CompareRequest& m_request;
  BlockSource& m_source;
  Random m_random;
  std::size_t m_set_bytes = 1;
  std::array<double, k_arms> m_call_s{};
  PairRecord m_first_calls;
  bool m_incumbent_first = false;
  OneOfTwo m_stress_pairs;
  std::size_t m_stress_blocks = 0; // of long calls
  std::uint32_t m_sets = 0;        // of the arenas of all pairs
  double m_on_clock_s = 0;         // of all blocks but stress blocks, whose times nobody asks for
  std::vector<record::Round> m_rounds;
  std::optional<ArmFailure> m_failure;
};

} // namespace

Result<CompareOutcome> compare_blocks(const CompareRequest& request, BlockSource& source)
{
  return Session(request, source).run();
}

} // namespace hone::gate
