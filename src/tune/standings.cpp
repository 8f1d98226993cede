#include "tune/standings.h"

#include <algorithm>
#include <cmath>

namespace hone {

namespace {

constexpr double k_pair_deviation = 0.01; // of one pair's estimate: usual on a machine that is not quite idle

} // namespace

double RankedPoint::cautious() const
{
  return pairs > 0 ? std::exp(log_ratio - k_pair_deviation / std::sqrt(static_cast<double>(pairs))) : 0;
}

void Standings::add(const TuningTrial& trial)
{
  RankedPoint& known = m_points[trial.point];
  known.point = trial.point;
  if (!trial.ok || trial.ratio <= 0) {
    known.ok = false;
    return;
  }
  const int pairs = std::max(1, trial.pairs);
  known.log_ratio = (known.log_ratio * known.pairs + std::log(trial.ratio) * pairs) / (known.pairs + pairs);
  known.pairs += pairs;
}

const RankedPoint* Standings::find(const TuningPoint& point) const
{
  const auto found = m_points.find(point);
  return found == m_points.end() ? nullptr : &found->second;
}

std::vector<RankedPoint> Standings::fastest() const
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

} // namespace hone
