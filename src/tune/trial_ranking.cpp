#include "tune/trial_ranking.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {

namespace {

} // namespace

double RankedPoint::cautious() const
{
  return pairs > 0 ? std::exp(log_ratio - k_pair_deviation / std::sqrt(static_cast<double>(pairs))) : 0;
}

void TrialRanking::add(const TuningTrial& trial)
{
  RankedPoint& known = m_points[trial.point];
  known.point = trial.point;
  if (!trial.ok || trial.ratio <= 0) {
    known.ok = false;
    return;
  }
  // What disturbs a measurement of one arm makes single ratios far too large: a mean would keep that.
  const double log_ratio = std::log(trial.ratio);
  known.log_ratios.insert(std::ranges::upper_bound(known.log_ratios, log_ratio), log_ratio);
  known.log_ratio = known.log_ratios[(known.log_ratios.size() - 1) / 2];
  known.pairs += std::max(1, trial.pairs);
}

const RankedPoint* TrialRanking::find(const kernel::TuningPoint& point) const
{
  const auto found = m_points.find(point);
  return found == m_points.end() ? nullptr : &found->second;
}

std::vector<RankedPoint> TrialRanking::fastest() const
{
  std::vector<RankedPoint> result;
  for (const auto& [point, ranked] : m_points) {
    if (ranked.ok && ranked.pairs > 0) {
      result.push_back(ranked);
    }
  }
  std::ranges::stable_sort(result, std::ranges::greater(), &RankedPoint::cautious);
  return result;
}

} // namespace hone::tune
