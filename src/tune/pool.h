// Points that were not tried yet. (internal to the tune room)
#pragma once

#include "tune/tune.h"

namespace hone {

// Steps along the lists of values from one point to another. A second parameter that changes counts a little more than
// a second step of one.
long steps_between(const TuningSpace& space, const TuningPoint& from, const TuningPoint& to);

class PointPool {
public:
  PointPool() = default;
  PointPool(TuningSpace space, std::vector<TuningPoint> points);

  bool empty() const { return m_points.empty(); }
  const std::vector<TuningPoint>& points() const { return m_points; }
  // Of those below: the point leaves the pool, which must not be empty.
  TuningPoint take(std::size_t position);
  TuningPoint take_random(Random& random);
  TuningPoint take_nearest(const TuningPoint& to, Random& random); // one of the equally near ones
  bool take_if_there(const TuningPoint& point);

private:
  TuningSpace m_space;
  std::vector<TuningPoint> m_points;
};

} // namespace hone
