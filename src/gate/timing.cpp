#include "gate/timing.h"

#include "gate/quads.h"
#include "gate/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

constexpr double k_clear = 0.005; // every pair beyond this, on one side: FAST or SLOW
constexpr double k_equal = 0.01;  // pooled interval within this: SAME
constexpr double k_equal_confidence = 0.99;
constexpr std::size_t k_quads_for_same = 8; // fewer cannot carry a 99 % claim
constexpr double k_clear_when_slow = 0.10;  // of single calls
constexpr double k_small_difference = 0.03;
constexpr double k_small_beside_spread = 3;   // standard deviations: of four pairs, a Student's t of 6
constexpr double k_clear_when_twofold = 0.50; // of a few blocks that were expected to be 2x apart
constexpr double k_disturbed = 0.01;          // share of the wall time that nobody can account for
constexpr double k_confidence = 0.95;

// Nothing where no block had weights prepared for it. In the hot regime one block of a pair has.
std::optional<record::TimeEstimate> preparation_of(std::span<const PairRecord> pairs, Arm arm)
{
  std::vector<double> seconds;
  for (const BlockRecord& block : pooled(pairs, arm)) {
    if (block.prepare_s > 0) {
      seconds.push_back(block.prepare_s);
    }
  }
  if (seconds.empty()) {
    return std::nullopt;
  }
  return record::TimeEstimate{median(seconds), t_interval(seconds, k_confidence), static_cast<int>(seconds.size())};
}

record::TimeEstimate time_of(std::span<const PairRecord> pairs, Arm arm)
{
  record::TimeEstimate time;
  std::vector<double> medians;
  for (const PairRecord& pair : pairs) {
    medians.push_back(median(block_values(blocks_of(pair, arm), call_s)));
  }
  const std::vector<BlockRecord> all = pooled(pairs, arm);
  time.median = median(block_values(all, call_s));
  time.ci95 = t_interval(medians, k_confidence);
  for (const BlockRecord& block : all) {
    time.calls += static_cast<int>(block.calls);
  }
  return time;
}

// Shares of the wall time by which a ratio may be off, and the words for the larger one.
struct Disturbance {
  double cpu_missing = 0; // in an arm
  double apart = 0;       // around the calls, between the arms
  std::string words;

  double share() const { return std::max(cpu_missing, apart); }
};

double mean_wall(const std::vector<BlockRecord>& blocks)
{
  return mean(block_values(blocks, [](const BlockRecord& block) { return block.wall_s; }));
}

// Wall time in which the runner did not run, beyond the usual handshake: something else had the CPU.
double excess_share(const std::vector<BlockRecord>& blocks)
{
  const std::vector<double> gaps = block_values(blocks, gap_s);
  return (mean(gaps) - usual_gap_s(gaps)) / mean_wall(blocks);
}

bool has_several_threads(const std::vector<BlockRecord>& blocks)
{
  return std::ranges::any_of(blocks, [](const BlockRecord& block) { return block.waited_s > 0; });
}

std::string busy_words(double share, bool several_threads)
{
  const char* what = several_threads
                       ? "the runners' threads together waited for their CPUs for {:.1f} % of the wall time"
                       : "the runners had the CPU for {:.1f} % less than the wall time";
  return fmt::format(fmt::runtime(what), 100 * share) + ": the machine was busy";
}

Disturbance worst_disturbance(std::span<const PairRecord> pairs)
{
  const auto ours = pooled(pairs, Arm::candidate);
  const auto theirs = pooled(pairs, Arm::incumbent);
  const double excess = std::max(excess_share(ours), excess_share(theirs));
  const double apart = std::abs(median(block_values(ours, unexplained_s)) - median(block_values(theirs, unexplained_s)))
                       / std::min(mean_wall(ours), mean_wall(theirs));
  if (excess >= apart) {
    return {excess, apart, busy_words(excess, has_several_threads(ours) || has_several_threads(theirs))};
  }
  return {excess, apart,
          fmt::format("time around the calls differs by {:.1f} % of a block between the arms", 100 * apart)};
}

std::vector<double> estimates_of(std::span<const PairRecord> pairs, TimingRule rule)
{
  std::vector<double> estimates;
  std::ranges::transform(pairs, std::back_inserter(estimates),
                         [&](const PairRecord& pair) { return pair_estimate(pair, rule); });
  return estimates;
}

// +1: all beyond the limit on the fast side; -1: on the slow side; 0: neither.
int common_side(std::span<const double> log_ratios, double limit)
{
  const double bound = std::log1p(limit);
  if (std::ranges::all_of(log_ratios, [&](double x) { return x > bound; })) {
    return 1;
  }
  return std::ranges::all_of(log_ratios, [&](double x) { return x < -bound; }) ? -1 : 0;
}

record::Comparison side_name(int side)
{
  return side > 0 ? record::Comparison::fast : record::Comparison::slow;
}

// Recorded pairs, and the same without the quads that something else disturbed.
struct Evidence {
  std::span<const PairRecord> recorded;
  std::vector<PairRecord> calm;
  std::vector<double> estimates; // of the calm pairs
  std::vector<double> with_all;  // of the recorded ones
  Totals totals;
};

Evidence evidence_of(std::span<const PairRecord> recorded, TimingRule rule)
{
  Evidence evidence{recorded, {recorded.begin(), recorded.end()}, {}, {}, totals_of(recorded)};
  if (rule == TimingRule::unanimous) {
    std::ranges::transform(recorded, evidence.calm.begin(), without_disturbed_quads);
  }
  evidence.estimates = estimates_of(evidence.calm, rule);
  evidence.with_all = estimates_of(recorded, rule);
  return evidence;
}

record::PairEvidence evidence_of(const PairRecord& recorded, const PairRecord& calm, TimingRule rule)
{
  record::PairEvidence pair;
  pair.ratio = std::exp(pair_estimate(calm, rule));
  pair.ratio_with_all = std::exp(pair_estimate(recorded, rule));
  if (rule == TimingRule::unanimous) {
    const std::vector<double> quads = quad_log_ratios(calm);
    pair.spread = standard_deviation(quads);
    pair.quads = static_cast<int>(quads.size());
    pair.left_out = static_cast<int>(quad_log_ratios(recorded).size() - quads.size());
  }
  for (const std::vector<BlockRecord>& blocks : recorded.blocks) {
    for (const BlockRecord& block : blocks) {
      ++pair.blocks;
      pair.calls += static_cast<int>(block.calls);
      pair.on_clock_s += block.wall_s;
    }
  }
  return pair;
}

record::Explanation explanation_of(const Evidence& evidence, TimingRule rule)
{
  record::Explanation explanation;
  explanation.rule = word_of(rule);
  explanation.disturbed = k_disturbed;
  explanation.same_band = rule == TimingRule::unanimous ? k_equal : 0;
  explanation.ratio_of_totals = evidence.totals.ratio;
  explanation.candidate_long_blocks = evidence.totals.long_blocks[0];
  explanation.incumbent_long_blocks = evidence.totals.long_blocks[1];
  for (std::size_t i = 0; i < evidence.recorded.size(); ++i) {
    explanation.pairs.push_back(evidence_of(evidence.recorded[i], evidence.calm[i], rule));
  }
  return explanation;
}

struct Judgement {
  record::Comparison verdict = record::Comparison::ambiguous;
  std::string reason;
};

// The limit that every pair must be beyond. A disturbance moves a ratio by its own share at most, so that twice the
// share is beyond doubt.
double enter_limit(record::Explanation& explanation, const Disturbance& disturbance, double clear, double ignored)
{
  const double share = std::max(disturbance.share(), 0.0);
  explanation.cpu_missing = disturbance.cpu_missing;
  explanation.apart = disturbance.apart;
  explanation.least_agreement = clear;
  explanation.agreement = share > ignored ? clear + 2 * share : clear;
  return explanation.agreement;
}

std::string totals_words(const Evidence& evidence)
{
  return fmt::format("the pairs say {:+.1f} %, all time together {:+.1f} %: some calls take far longer than others",
                     100 * std::expm1(mean(evidence.estimates)), 100 * (evidence.totals.ratio - 1));
}

// The usual call's gain is none where rare calls give it back, and do so in this arm only.
bool gives_back(const Evidence& evidence, int side)
{
  const Arm winner = side > 0 ? Arm::candidate : Arm::incumbent;
  return retract_gain(evidence.totals.ratio, mean(evidence.estimates))
         && has_long_blocks_of_its_own(evidence.totals, winner);
}

// FAST and SLOW must hold with all recorded quads, too: a runner that sleeps when a block of its own goes badly loses
// that quad among the calm ones and pays for it among all; one that takes time from the other arm gains among all and
// not among the calm ones.
Judgement judge_unanimous(const Evidence& evidence, record::Explanation& explanation)
{
  const Disturbance disturbance = worst_disturbance(evidence.calm);
  const double limit = enter_limit(explanation, disturbance, k_clear, k_disturbed);
  const int side = common_side(evidence.estimates, limit);
  if (side != 0 && side == common_side(evidence.with_all, limit)) {
    return gives_back(evidence, side) ? Judgement{record::Comparison::ambiguous, totals_words(evidence)}
                                      : Judgement{side_name(side), {}};
  }
  if (disturbance.share() > k_disturbed) {
    return {record::Comparison::ambiguous, disturbance.words};
  }
  std::vector<double> quads;
  for (const PairRecord& pair : evidence.calm) {
    std::ranges::copy(quad_log_ratios(pair), std::back_inserter(quads));
  }
  if (quads.size() < k_quads_for_same) {
    return {record::Comparison::ambiguous, fmt::format("only {} quads: too few to call it the same", quads.size())};
  }
  const Interval interval = wilcoxon_interval(quads, k_equal_confidence);
  explanation.quads_ci99 = Interval{std::exp(interval.low), std::exp(interval.high)};
  if (interval.low >= -std::log1p(k_equal) && interval.high <= std::log1p(k_equal)) {
    return {record::Comparison::same, {}};
  }
  if (side != 0) {
    return {record::Comparison::ambiguous,
            "all pairs are beyond 0.5 % only without the quads in which something else had the CPU"};
  }
  const auto [low, high] = std::ranges::minmax(evidence.estimates);
  return {record::Comparison::ambiguous,
          fmt::format("the pairs say {:+.1f} % to {:+.1f} %: neither all beyond 0.5 % nor within 1 %",
                      100 * std::expm1(low), 100 * std::expm1(high))};
}

// A few blocks cannot be sorted into calm and interrupted ones: what disturbed them widens the limit. Nor can they tell
// whose doing a long one is.
Judgement judge_by_side(const Evidence& evidence, record::Explanation& explanation, double clear)
{
  const double limit = enter_limit(explanation, worst_disturbance(evidence.recorded), clear, 0);
  if (const int side = common_side(evidence.estimates, limit); side != 0) {
    if (retract_gain(evidence.totals.ratio, mean(evidence.estimates))) {
      return {record::Comparison::ambiguous, totals_words(evidence)};
    }
    return {side_name(side), {}};
  }
  return {record::Comparison::ambiguous, fmt::format("not all pairs differ by more than {:.3g} %", 100 * limit)};
}

Judgement judge(const Evidence& evidence, TimingRule rule, record::Explanation& explanation)
{
  switch (rule) {
  case TimingRule::unanimous:
    return judge_unanimous(evidence, explanation);
  case TimingRule::twofold:
    return judge_by_side(evidence, explanation, k_clear_when_twofold);
  case TimingRule::slow:
    return judge_by_side(evidence, explanation, k_clear_when_slow);
  }
  return {};
}

} // namespace

double pair_estimate(const PairRecord& pair, TimingRule rule)
{
  if (rule == TimingRule::unanimous) {
    return hodges_lehmann(quad_log_ratios(pair));
  }
  return std::log(median(block_values(blocks_of(pair, Arm::incumbent), call_s))
                  / median(block_values(blocks_of(pair, Arm::candidate), call_s)));
}

bool may_be_chance(const record::ComparisonResult& result)
{
  std::vector<double> estimates;
  std::ranges::transform(result.pair_ratios, std::back_inserter(estimates), [](double x) { return std::log(x); });
  const double doubtful =
    std::max(std::log1p(k_small_difference), k_small_beside_spread * standard_deviation(estimates));
  return std::abs(mean(estimates)) < doubtful;
}

bool is_gain_retracted(const record::ComparisonResult& result)
{
  return result.explanation && retract_gain(result.explanation->ratio_of_totals, std::log(result.ratio));
}

record::ComparisonResult decide(std::span<const PairRecord> recorded, TimingRule rule)
{
  const Evidence evidence = evidence_of(recorded, rule);
  record::ComparisonResult result;
  for (const double estimate : evidence.estimates) {
    result.pair_ratios.push_back(std::exp(estimate));
  }
  const Interval interval = t_interval(evidence.estimates, k_confidence);
  result.ratio = std::exp(mean(evidence.estimates));
  result.ci95 = {std::exp(interval.low), std::exp(interval.high)};
  result.rule = name_of(rule);
  result.candidate = time_of(evidence.calm, Arm::candidate);
  result.incumbent = time_of(evidence.calm, Arm::incumbent);
  result.candidate_preparation = preparation_of(recorded, Arm::candidate);
  result.incumbent_preparation = preparation_of(recorded, Arm::incumbent);
  record::Explanation explanation = explanation_of(evidence, rule);
  Judgement judgement = judge(evidence, rule, explanation);
  result.verdict = judgement.verdict;
  result.reason = std::move(judgement.reason);
  result.explanation = std::move(explanation);
  return result;
}

} // namespace hone::gate
