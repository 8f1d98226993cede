#include "app/headline.h"

#include "app/figures.h"
#include "policy/baselines.h"

#include <fmt/format.h>

#include <vector>

namespace hone::app {

const policy::BaselineResult* best_library(const ClimbResult& result)
{
  const policy::BaselineResult* best = nullptr;
  for (const policy::BaselineResult& baseline : result.baselines) {
    const bool is_library = baseline.baseline.name != policy::k_plain_loops;
    if (is_library && (best == nullptr || baseline.comparison.ratio < best->comparison.ratio)) {
      best = &baseline;
    }
  }
  return best;
}

std::string headline(const ClimbResult& result)
{
  std::vector<std::string> parts;
  if (const policy::BaselineResult* best = best_library(result)) {
    parts.push_back(fmt::format("{} the best library{} ({})", ratio_text(best->comparison.ratio, best->comparison.ci95),
                                result.left_out.empty() ? "" : " compared",
                                library_text(best->baseline.name, best->baseline.setting, result.library_versions)));
  }
  for (const policy::BaselineResult& baseline : result.baselines) {
    if (baseline.baseline.name == policy::k_plain_loops) {
      parts.push_back(fmt::format("{} plain loops", ratio_text(baseline.comparison.ratio, baseline.comparison.ci95)));
    }
  }
  if (const auto time = deciding_time(best_verdict(result), result.recipe.regime);
      time && time->median > 0 && result.scale.floor_s > 0) {
    parts.push_back(fmt::format("{:.0f} % of this machine's roof", 100 * result.scale.floor_s / time->median));
  }
  return join(parts, ", ");
}

std::string roof_text(const ClimbScale& scale, double seconds)
{
  constexpr double k_far_below = 0.25; // neither arithmetic nor bandwidth explains the time
  if (scale.floor_s <= 0 || seconds <= 0) {
    return "";
  }
  const double share = scale.floor_s / seconds;
  const bool by_bandwidth = !scale.bound_by.empty();
  const std::string rate = by_bandwidth ? fmt::format("{:.1f} GB/s", scale.bytes / seconds / 1e9)
                                        : fmt::format("{:.1f} GFLOP/s", scale.flops / seconds / 1e9);
  const std::string level = scale.bound_by == "DRAM" ? "memory" : scale.bound_by;
  const std::string bound = share < k_far_below ? "latency-bound"
                            : by_bandwidth      ? fmt::format("bandwidth-bound ({})", level)
                                                : "compute-bound";
  const std::string roof = by_bandwidth ? fmt::format("{:.1f} GB/s of {}", scale.bytes / scale.floor_s / 1e9, level)
                                        : fmt::format("{:.1f} GFLOP/s", scale.flops / scale.floor_s / 1e9);
  return fmt::format("{}: {}, {:.0f} % of the roof, which is {} as measured here", bound, rate, 100 * share, roof);
}

std::string gain_over_start(const ClimbResult& result)
{
  const record::ComparisonResult* gain = deciding_comparison(result.final_record);
  return gain == nullptr
           ? ""
           : fmt::format(
             "over the start {} ({}, {}{})", ratio_text(gain->ratio, gain->ci95), record::name_of(gain->verdict),
             record::name_of(gain->regime),
             gain->by_size.empty() ? "" : fmt::format("; {} sizes, {}", gain->by_size.size(), worst_size_text(*gain)));
}

} // namespace hone::app
