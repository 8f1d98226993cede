#include "gate/timing.h"

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

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

double quad_s(double mean_call_s, const BlockPlan& plan)
{
  return 4 * mean_call_s * (plan.shortest + plan.longest) / 2;
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

std::string_view word_of(TimingRule rule)
{
  switch (rule) {
  case TimingRule::unanimous:
    return "full";
  case TimingRule::twofold:
    return "twofold";
  case TimingRule::slow:
    return "slow";
  }
  return {};
}

TimingRule rule_for(double candidate_call_s, double incumbent_call_s, bool searching)
{
  const auto [faster, slower] = std::minmax(candidate_call_s, incumbent_call_s);
  if (slower > k_slow_call_s || (searching && slower > k_long_call_s && slower > k_clearly_apart * faster)) {
    return TimingRule::slow;
  }
  const bool few_will_do = searching || slower >= k_twofold_single_call_s;
  const double ratio = candidate_call_s / incumbent_call_s;
  const bool far_apart = ratio > k_twofold || ratio < 1 / k_twofold;
  return far_apart && few_will_do ? TimingRule::twofold : TimingRule::unanimous;
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
  PairBudget budget;
  budget.cpu_s = std::clamp(k_quads_of_long_blocks * quad_s(mean_call_s, plan), seconds_per_pair,
                            std::max(seconds_per_pair, k_most_seconds_per_pair));
  budget.wall_s = k_patience * budget.cpu_s;
  return budget;
}

double calls_of_pair(const PairBudget& budget, const BlockPlan& plan, double mean_call_s)
{
  const double quads = std::ceil(budget.cpu_s / quad_s(mean_call_s, plan));
  return std::clamp<double>(quads, budget.fewest, budget.most) * 4 * (plan.longest + plan.settle);
}

bool goes_on(const PairBudget& budget, std::uint32_t quads, double cpu_s, double wall_s)
{
  return quads < budget.fewest || (quads < budget.most && cpu_s < budget.cpu_s && wall_s < budget.wall_s);
}

} // namespace hone::gate
