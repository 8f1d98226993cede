// The trials of a tuning session, ranked: what its finalists are chosen by, whatever the strategy.
#pragma once

#include "tune/tune.h"

#include <map>
#include <vector>

namespace hone {

// Of the logarithm of one pair's ratio: usual on a machine that is not quite idle.
inline constexpr double k_pair_deviation = 0.01;

// All measurements of one point together.
struct RankedPoint {
  TuningPoint point;
  bool ok = true; // no measurement failed
  int pairs = 0;
  double log_ratio = 0; // of incumbent's time / this point's time: the lower median of its measurements

  // A cautious ratio: one look that was lucky does not pass several that agree.
  double cautious() const;

  std::vector<double> looks; // the logarithm that each measurement gave, sorted
};

class Standings {
public:
  void add(const TuningTrial& trial);
  const RankedPoint* find(const TuningPoint& point) const; // nullptr: never measured
  std::vector<RankedPoint> fastest() const;                // those that are right, by `cautious`
  std::size_t size() const { return m_points.size(); }
  const std::map<TuningPoint, RankedPoint>& all() const { return m_points; }

private:
  std::map<TuningPoint, RankedPoint> m_points;
};

} // namespace hone
