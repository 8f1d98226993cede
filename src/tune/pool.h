// Points that were not tried yet. (internal to the tune room)
#pragma once

#include "tune/tune.h"

namespace hone::tune {

// Steps along the lists of values from one point to another. A second parameter that changes counts a little more than
// a second step of one.
long steps_between(const kernel::TuningSpace& space, const kernel::TuningPoint& from, const kernel::TuningPoint& to);

class PointPool {
public:
  PointPool() = default;
  PointPool(kernel::TuningSpace space, std::vector<kernel::TuningPoint> points);

  bool empty() const { return m_points.empty(); }
  const std::vector<kernel::TuningPoint>& points() const { return m_points; }
  // Of those below: the point leaves the pool, which must not be empty.
  kernel::TuningPoint take(std::size_t position);
  kernel::TuningPoint take_random(Random& random);
  kernel::TuningPoint take_nearest(const kernel::TuningPoint& to, Random& random); // one of the equally near ones
  bool take_if_there(const kernel::TuningPoint& point);

private:
  kernel::TuningSpace m_space;
  std::vector<kernel::TuningPoint> m_points;
};

} // namespace hone::tune
