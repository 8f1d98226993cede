#include "gate/sizes_together.h"

#include "util/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::gate {
namespace {

constexpr double k_confidence_together = 0.95;
constexpr double k_limit_unexplained = 0.005; // of comparisons that do not explain themselves

double limit_of(const record::ComparisonResult& result)
{
  return std::log1p(result.explanation ? result.explanation->agreement : k_limit_unexplained);
}

// +1: all pairs beyond the limit on the fast side, -1: on the slow side.
int side_of(const std::vector<double>& log_ratios, double limit)
{
  if (std::ranges::all_of(log_ratios, [&](double x) { return x > limit; })) {
    return 1;
  }
  return std::ranges::all_of(log_ratios, [&](double x) { return x < -limit; }) ? -1 : 0;
}

std::vector<double> logs_of(const record::ComparisonResult& result)
{
  std::vector<double> out;
  std::ranges::transform(result.pair_ratios, std::back_inserter(out), [](double ratio) { return std::log(ratio); });
  return out;
}

// A size that stays open although its pairs agree: rare long calls, or a speed beyond the machine's.
const record::SizedComparison* held_back(const std::vector<record::SizedComparison>& by_size, int side)
{
  const auto found = std::ranges::find_if(by_size, [&](const record::SizedComparison& one) {
    return one.result.verdict == record::Comparison::ambiguous
           && side_of(logs_of(one.result), limit_of(one.result)) == side;
  });
  return found == by_size.end() ? nullptr : &*found;
}

void decide_together(record::ComparisonResult& out, const std::vector<double>& pairs, double limit)
{
  const int side = side_of(pairs, limit);
  const record::SizedComparison* const held = side == 0 ? nullptr : held_back(out.by_size, side);
  const bool same = std::ranges::all_of(
    out.by_size, [](const record::SizedComparison& one) { return one.result.verdict == record::Comparison::same; });
  out.verdict = record::Comparison::ambiguous;
  if (held != nullptr) {
    out.reason = fmt::format("at {}: {}", kernel::to_text(held->sizes), held->result.reason);
  } else if (side != 0) {
    out.verdict = side > 0 ? record::Comparison::fast : record::Comparison::slow;
  } else if (same) {
    out.verdict = record::Comparison::same;
  } else {
    const auto [low, high] = std::ranges::minmax(pairs);
    out.reason = fmt::format("over all sizes the pairs say {:+.1f} % to {:+.1f} %: not all beyond {:.2g} %",
                             100 * std::expm1(low), 100 * std::expm1(high), 100 * std::expm1(limit));
  }
}

} // namespace

record::ComparisonResult together(std::vector<record::SizedComparison> by_size)
{
  record::ComparisonResult out = by_size.front().result;
  out.explanation.reset(); // each size has its own
  out.reason.clear();
  double weights = 0;
  std::size_t count = by_size.front().result.pair_ratios.size();
  for (const record::SizedComparison& one : by_size) {
    weights += one.weight;
    count = std::min(count, one.result.pair_ratios.size());
  }
  double mean_ratio = 0;
  double limit = 0;
  std::vector<double> pairs(count);
  for (const record::SizedComparison& one : by_size) {
    const double share = one.weight / weights;
    mean_ratio += share * std::log(one.result.ratio);
    limit += share * limit_of(one.result); // a disturbance at one size moves the mean by its share
    const std::vector<double> logs = logs_of(one.result);
    for (std::size_t i = 0; i < count; ++i) {
      pairs[i] += share * logs[i];
    }
  }
  const Interval interval = t_interval(pairs, k_confidence_together);
  out.ratio = std::exp(mean_ratio);
  out.ci95 = {std::exp(interval.low), std::exp(interval.high)};
  out.pair_ratios.clear();
  std::ranges::transform(pairs, std::back_inserter(out.pair_ratios), [](double x) { return std::exp(x); });
  out.rule = fmt::format("weighted mean of {} sizes", by_size.size());
  out.by_size = std::move(by_size);
  decide_together(out, pairs, limit);
  return out;
}

} // namespace hone::gate
