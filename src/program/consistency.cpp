#include "program/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone::program {

namespace {

constexpr double k_same = 0.02; // an interval within 1 +- this says SAME

template <class Value> std::vector<double> values_of(std::span<const PairTimes> pairs, Value value)
{
  std::vector<double> values;
  for (const PairTimes& pair : pairs) {
    values.push_back(value(pair));
  }
  return values;
}

Ratio ratio_of(const std::vector<double>& logarithms)
{
  const Interval interval = wilcoxon_interval(logarithms, k_confidence);
  return {std::exp(median(logarithms)), {std::exp(interval.low), std::exp(interval.high)}};
}

record::Comparison verdict_of(const Interval& interval)
{
  if (interval.low > 1) {
    return record::Comparison::fast;
  }
  if (interval.high < 1) {
    return record::Comparison::slow;
  }
  const bool narrow = interval.low > 1 - k_same && interval.high < 1 + k_same;
  return narrow ? record::Comparison::same : record::Comparison::ambiguous;
}

std::string contradiction_in(std::span<const PairTimes> pairs, const Summary& summary, double slack)
{
  const auto percent = [](double part) { return fmt::format("{:.0f} %", 100 * part); };
  if (std::ranges::any_of(pairs, [](const PairTimes& pair) { return pair.region_replaced > pair.timed_replaced; })) {
    return "the region reports more time than the whole program took";
  }
  if (summary.unexplained->high < -slack) {
    return fmt::format("the region claims to have saved {} of the program's time that the whole program did not save",
                       percent(-summary.unexplained->high));
  }
  if (summary.unexplained->low > slack) {
    return fmt::format("the whole program saved {} of its time outside the region", percent(summary.unexplained->low));
  }
  const double saved = 1 - 1 / summary.whole.interval.low;
  if (saved > summary.share + slack) {
    return fmt::format("the whole program saved {} of its time, and the region was {} of it", percent(saved),
                       percent(summary.share));
  }
  return "";
}

} // namespace

Summary summary_of(std::span<const PairTimes> pairs, double slack)
{
  Summary summary;
  summary.whole =
    ratio_of(values_of(pairs, [](const PairTimes& pair) { return std::log(pair.original / pair.replaced); }));
  summary.verdict = verdict_of(summary.whole.interval);
  const auto reports = [](const PairTimes& pair) { return pair.region_original > 0 && pair.region_replaced > 0; };
  if (!std::ranges::all_of(pairs, reports)) {
    summary.contradiction = "a run reported no time in the region";
    return summary;
  }
  summary.within = ratio_of(
    values_of(pairs, [](const PairTimes& pair) { return std::log(pair.region_original / pair.region_replaced); }));
  summary.unexplained = wilcoxon_interval(values_of(pairs,
                                                    [](const PairTimes& pair) {
                                                      const double whole = pair.timed_original - pair.timed_replaced;
                                                      const double region = pair.region_original - pair.region_replaced;
                                                      return (whole - region) / pair.timed_original;
                                                    }),
                                          k_confidence);
  summary.share =
    median(values_of(pairs, [](const PairTimes& pair) { return pair.region_original / pair.timed_original; }));
  summary.contradiction = contradiction_in(pairs, summary, slack);
  return summary;
}

} // namespace hone::program
