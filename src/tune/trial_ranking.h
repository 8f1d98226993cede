// Ranks the trials of a tuning session. The finalists of every strategy are chosen by this ranking.
#pragma once

#include "tune/tune.h"

#include <map>
#include <vector>

namespace hone::tune {

// Of the logarithm of one pair's ratio: usual on a machine that is not quite idle.
inline constexpr double k_pair_deviation = 0.01;

// All measurements of one point together.
struct RankedPoint {
  kernel::TuningPoint point;
  bool ok = true; // no measurement failed
  int pairs = 0;
  double log_ratio = 0; // of incumbent's time / this point's time: the lower median of its measurements

  // A lower estimate of the ratio: one lucky measurement does not outrank several that agree.
  double cautious() const;

  std::vector<double> log_ratios; // of the single measurements, sorted
};

class TrialRanking {
public:
  void add(const TuningTrial& trial);
  const RankedPoint* find(const kernel::TuningPoint& point) const; // nullptr: never measured
  std::vector<RankedPoint> fastest() const;                        // those that are right, by `cautious`
  std::size_t size() const { return m_points.size(); }
  const std::map<kernel::TuningPoint, RankedPoint>& all() const { return m_points; }

private:
  std::map<kernel::TuningPoint, RankedPoint> m_points;
};

} // namespace hone::tune
