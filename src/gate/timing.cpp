#include "gate/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double k_clear = 0.005; // every pair beyond this, on one side: FAST or SLOW
constexpr double k_equal = 0.01;  // pooled interval within this: SAME
constexpr double k_equal_confidence = 0.99;
constexpr std::size_t k_quads_for_same = 8; // fewer cannot carry a 99 % claim
constexpr double k_clear_when_slow = 0.10;  // of single calls
constexpr double k_small_difference = 0.03;
constexpr double k_small_beside_spread = 3;     // standard deviations: of four pairs, a Student's t of 6
constexpr double k_clear_when_twofold = 0.50;   // of a few blocks that were expected to be 2x apart
constexpr double k_disturbed = 0.01;            // share of the wall time that nobody can account for
constexpr double k_longest_usual_gap_s = 15e-6; // handshake of one block
constexpr double k_interrupted = 0.02;          // share of a quad's wall time: a time slice, not an interrupt
constexpr std::size_t k_blocks_of_quad = 2;     // of each arm
constexpr double k_confidence = 0.95;

constexpr double k_slow_call_s = 0.5;
constexpr double k_long_call_s = 0.02;
constexpr double k_clearly_apart = 1.5;
constexpr double k_twofold = 2;
constexpr double k_quads_of_long_blocks = 4;
constexpr double k_most_seconds_per_pair = 0.6;
constexpr double k_patience = 20; // wall time over CPU time, on a busy machine

// The protocol's table: calls up to this long get blocks of this many calls.
struct BlockRow {
  double call_s;
  std::uint32_t calls, settle;
};
constexpr BlockRow k_block_table[] = {
  {1e-6, 256, 2}, {10e-6, 64, 2}, {300e-6, 16, 1}, {5e-3, 4, 1}, {1e300, 1, 0},
};

std::vector<double> collect(const std::vector<BlockRecord>& blocks, double (*of)(const BlockRecord&))
{
  std::vector<double> values;
  std::ranges::transform(blocks, std::back_inserter(values), of);
  return values;
}

double call_s(const BlockRecord& block)
{
  return block.wall_s / block.calls;
}

double gap_s(const BlockRecord& block)
{
  return block.wall_s - block.child_cpu_s + block.waited_s;
}

double unexplained_s(const BlockRecord& block)
{
  return block.wall_s - block.stamps_s;
}

const std::vector<BlockRecord>& blocks_of(const PairRecord& pair, Arm arm)
{
  return pair.blocks[static_cast<std::size_t>(arm)];
}

std::vector<BlockRecord> pooled(std::span<const PairRecord> pairs, Arm arm)
{
  std::vector<BlockRecord> all;
  for (const PairRecord& pair : pairs) {
    all.insert(all.end(), blocks_of(pair, arm).begin(), blocks_of(pair, arm).end());
  }
  return all;
}

std::vector<double> quad_log_ratios(const PairRecord& pair)
{
  const auto& ours = blocks_of(pair, Arm::candidate);
  const auto& theirs = blocks_of(pair, Arm::incumbent);
  std::vector<double> ratios;
  for (std::size_t i = 0; i + k_blocks_of_quad <= std::min(ours.size(), theirs.size()); i += k_blocks_of_quad) {
    ratios.push_back(std::log((theirs[i].wall_s + theirs[i + 1].wall_s) / (ours[i].wall_s + ours[i + 1].wall_s)));
  }
  return ratios;
}

// The handshake of a block.
double usual_gap_s(std::span<const double> gaps)
{
  return std::min(median(gaps), k_longest_usual_gap_s);
}

// Something else had the CPU during this quad: wall time without the runner, beyond the usual handshakes.
bool was_interrupted(const PairRecord& pair, std::size_t first, double usual_s)
{
  double wall_s = 0, gaps_s = 0;
  for (const Arm arm : {Arm::candidate, Arm::incumbent}) {
    for (const BlockRecord& block : std::span(blocks_of(pair, arm)).subspan(first, k_blocks_of_quad)) {
      wall_s += block.wall_s;
      gaps_s += gap_s(block) - usual_s;
    }
  }
  return gaps_s > k_interrupted * wall_s;
}

// The pair without its interrupted quads, as long as that leaves more than half.
PairRecord calm_part(const PairRecord& pair)
{
  const std::size_t blocks = std::min(blocks_of(pair, Arm::candidate).size(), blocks_of(pair, Arm::incumbent).size());
  std::vector<double> gaps = collect(blocks_of(pair, Arm::candidate), gap_s);
  std::ranges::copy(collect(blocks_of(pair, Arm::incumbent), gap_s), std::back_inserter(gaps));
  const double usual = usual_gap_s(gaps);
  PairRecord calm;
  for (std::size_t first = 0; first + k_blocks_of_quad <= blocks; first += k_blocks_of_quad) {
    if (was_interrupted(pair, first, usual)) {
      continue;
    }
    for (std::size_t arm = 0; arm < k_arms; ++arm) {
      const auto quad = std::span(pair.blocks[arm]).subspan(first, k_blocks_of_quad);
      calm.blocks[arm].insert(calm.blocks[arm].end(), quad.begin(), quad.end());
    }
  }
  return 2 * blocks_of(calm, Arm::candidate).size() > blocks ? calm : pair;
}

// Nothing where no block had weights prepared for it. In the hot regime one block of a pair has.
std::optional<TimeEstimate> preparation_of(std::span<const PairRecord> pairs, Arm arm)
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
  return TimeEstimate{median(seconds), t_interval(seconds, k_confidence), static_cast<int>(seconds.size())};
}

TimeEstimate time_of(std::span<const PairRecord> pairs, Arm arm)
{
  TimeEstimate time;
  std::vector<double> medians;
  for (const PairRecord& pair : pairs) {
    medians.push_back(median(collect(blocks_of(pair, arm), call_s)));
  }
  const std::vector<BlockRecord> all = pooled(pairs, arm);
  time.median = median(collect(all, call_s));
  time.ci95 = t_interval(medians, k_confidence);
  for (const BlockRecord& block : all) {
    time.calls += static_cast<int>(block.calls);
  }
  return time;
}

// A share of the wall time by which a ratio may be off, and the words for it.
struct Disturbance {
  double share = 0;
  std::string words;
};

double mean_wall(const std::vector<BlockRecord>& blocks)
{
  return mean(collect(blocks, [](const BlockRecord& block) { return block.wall_s; }));
}

// Wall time in which the runner did not run, beyond the usual handshake: something else had the CPU.
double excess_share(const std::vector<BlockRecord>& blocks)
{
  const std::vector<double> gaps = collect(blocks, gap_s);
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
  const double apart = std::abs(median(collect(ours, unexplained_s)) - median(collect(theirs, unexplained_s)))
                       / std::min(mean_wall(ours), mean_wall(theirs));
  if (excess >= apart) {
    return {excess, busy_words(excess, has_several_threads(ours) || has_several_threads(theirs))};
  }
  return {apart, fmt::format("time around the calls differs by {:.1f} % of a block between the arms", 100 * apart)};
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

Comparison side_name(int side)
{
  return side > 0 ? Comparison::fast : Comparison::slow;
}

struct Judgement {
  Comparison verdict = Comparison::ambiguous;
  std::string reason;
};

// `estimates` are those of the calm pairs. FAST and SLOW must hold with all recorded quads, too: a runner that sleeps
// when a block of its own goes badly loses that quad among the calm ones and pays for it among all; one that takes time
// from the other arm gains among all and not among the calm ones.
Judgement judge_unanimous(std::span<const PairRecord> recorded, std::span<const PairRecord> calm,
                          std::span<const double> estimates)
{
  const Disturbance disturbance = worst_disturbance(calm);
  const bool disturbed = disturbance.share > k_disturbed;
  // A disturbance moves a ratio by its own share at most, so that twice the share is beyond doubt.
  const double limit = disturbed ? k_clear + 2 * disturbance.share : k_clear;
  const std::vector<double> with_all = estimates_of(recorded, TimingRule::unanimous);
  if (const int side = common_side(estimates, limit); side != 0 && side == common_side(with_all, limit)) {
    return {side_name(side), {}};
  }
  if (disturbed) {
    return {Comparison::ambiguous, disturbance.words};
  }
  std::vector<double> quads;
  for (const PairRecord& pair : calm) {
    std::ranges::copy(quad_log_ratios(pair), std::back_inserter(quads));
  }
  if (quads.size() < k_quads_for_same) {
    return {Comparison::ambiguous, fmt::format("only {} quads: too few to call it the same", quads.size())};
  }
  const Interval interval = wilcoxon_interval(quads, k_equal_confidence);
  if (interval.low >= -std::log1p(k_equal) && interval.high <= std::log1p(k_equal)) {
    return {Comparison::same, {}};
  }
  const auto [low, high] = std::ranges::minmax(estimates);
  return {Comparison::ambiguous,
          fmt::format("the pairs say {:+.1f} % to {:+.1f} %: neither all beyond 0.5 % nor within 1 %",
                      100 * std::expm1(low), 100 * std::expm1(high))};
}

// A few blocks cannot be sorted into calm and interrupted ones: what disturbed them widens the limit.
Judgement judge_by_side(std::span<const PairRecord> pairs, std::span<const double> estimates, double clear)
{
  const double limit = clear + 2 * std::max(worst_disturbance(pairs).share, 0.0);
  if (const int side = common_side(estimates, limit); side != 0) {
    return {side_name(side), {}};
  }
  return {Comparison::ambiguous, fmt::format("not all pairs differ by more than {:.3g} %", 100 * limit)};
}

Judgement judge(std::span<const PairRecord> recorded, std::span<const PairRecord> calm,
                std::span<const double> estimates, TimingRule rule)
{
  switch (rule) {
  case TimingRule::unanimous:
    return judge_unanimous(recorded, calm, estimates);
  case TimingRule::twofold:
    return judge_by_side(recorded, estimates, k_clear_when_twofold);
  case TimingRule::slow:
    return judge_by_side(recorded, estimates, k_clear_when_slow);
  }
  return {};
}

} // namespace

std::string_view name_of(TimingRule rule)
{
  switch (rule) {
  case TimingRule::unanimous:
    return "all pairs beyond 0.5 %, or pooled within 1 %";
  case TimingRule::twofold:
    return "2x apart: three blocks per arm and pair";
  case TimingRule::slow:
    return "slow calls: one call per arm and pair";
  }
  return {};
}

TimingRule rule_for(double candidate_call_s, double incumbent_call_s, bool searching)
{
  const auto [faster, slower] = std::minmax(candidate_call_s, incumbent_call_s);
  if (slower > k_slow_call_s || (searching && slower > k_long_call_s && slower > k_clearly_apart * faster)) {
    return TimingRule::slow;
  }
  const double ratio = candidate_call_s / incumbent_call_s;
  return ratio > k_twofold || ratio < 1 / k_twofold ? TimingRule::twofold : TimingRule::unanimous;
}

BlockPlan block_plan(double mean_call_s, std::uint32_t most_calls)
{
  const BlockRow& row = *std::ranges::find_if(k_block_table, [&](const BlockRow& r) { return mean_call_s < r.call_s; });
  BlockPlan plan;
  plan.settle = most_calls > 1 ? std::min(row.settle, most_calls - 1) : 0;
  const std::uint32_t room = std::max<std::uint32_t>(most_calls - plan.settle, 1);
  plan.shortest = std::min(row.calls - row.calls / 4, room);
  plan.longest = std::min(row.calls + row.calls / 4, room);
  return plan;
}

PairBudget pair_budget(double mean_call_s, const BlockPlan& plan, double seconds_per_pair)
{
  const double quad_s = 4 * mean_call_s * (plan.shortest + plan.longest) / 2;
  PairBudget budget;
  budget.cpu_s =
    std::clamp(k_quads_of_long_blocks * quad_s, seconds_per_pair, std::max(seconds_per_pair, k_most_seconds_per_pair));
  budget.wall_s = k_patience * budget.cpu_s;
  return budget;
}

bool goes_on(const PairBudget& budget, std::uint32_t quads, double cpu_s, double wall_s)
{
  return quads < budget.fewest || (quads < budget.most && cpu_s < budget.cpu_s && wall_s < budget.wall_s);
}

double pair_estimate(const PairRecord& pair, TimingRule rule)
{
  if (rule == TimingRule::unanimous) {
    return hodges_lehmann(quad_log_ratios(pair));
  }
  return std::log(median(collect(blocks_of(pair, Arm::incumbent), call_s))
                  / median(collect(blocks_of(pair, Arm::candidate), call_s)));
}

bool may_be_chance(const ComparisonResult& result)
{
  std::vector<double> estimates;
  std::ranges::transform(result.pair_ratios, std::back_inserter(estimates), [](double x) { return std::log(x); });
  const double doubtful =
    std::max(std::log1p(k_small_difference), k_small_beside_spread * standard_deviation(estimates));
  return std::abs(mean(estimates)) < doubtful;
}

ComparisonResult decide(std::span<const PairRecord> recorded, TimingRule rule)
{
  std::vector<PairRecord> calm(recorded.begin(), recorded.end());
  if (rule == TimingRule::unanimous) {
    std::ranges::transform(recorded, calm.begin(), calm_part);
  }
  const std::vector<double> estimates = estimates_of(calm, rule);
  ComparisonResult result;
  for (const double estimate : estimates) {
    result.pair_ratios.push_back(std::exp(estimate));
  }
  const Interval interval = t_interval(estimates, k_confidence);
  result.ratio = std::exp(mean(estimates));
  result.ci95 = {std::exp(interval.low), std::exp(interval.high)};
  result.rule = name_of(rule);
  result.candidate = time_of(calm, Arm::candidate);
  result.incumbent = time_of(calm, Arm::incumbent);
  result.candidate_preparation = preparation_of(recorded, Arm::candidate);
  result.incumbent_preparation = preparation_of(recorded, Arm::incumbent);
  Judgement judgement = judge(recorded, calm, estimates, rule);
  result.verdict = judgement.verdict;
  result.reason = std::move(judgement.reason);
  return result;
}

} // namespace hone
