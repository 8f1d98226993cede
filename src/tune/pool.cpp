#include "tune/pool.h"

#include <algorithm>
#include <cstdlib>

namespace hone::tune {

namespace {

long position(const kernel::TuningParameter& parameter, const kernel::TuningPoint& point)
{
  const auto value = point.find(parameter.name);
  const std::int64_t wanted = value == point.end() ? parameter.default_value : value->second;
  return std::ranges::find(parameter.values, wanted) - parameter.values.begin();
}

} // namespace

long steps_between(const kernel::TuningSpace& space, const kernel::TuningPoint& from, const kernel::TuningPoint& to)
{
  long steps = 0, changed = 0;
  for (const kernel::TuningParameter& parameter : space.parameters) {
    const long apart = std::labs(position(parameter, from) - position(parameter, to));
    steps += apart;
    changed += apart > 0 ? 1 : 0;
  }
  return 2 * steps + changed;
}

PointPool::PointPool(kernel::TuningSpace space, std::vector<kernel::TuningPoint> points)
  : m_space(std::move(space)), m_points(std::move(points))
{
}

kernel::TuningPoint PointPool::take(std::size_t position)
{
  std::swap(m_points[position], m_points.back());
  kernel::TuningPoint point = std::move(m_points.back());
  m_points.pop_back();
  return point;
}

// One step of a Fisher-Yates shuffle; our own, so that a seed means the same on every library.
kernel::TuningPoint PointPool::take_random(Random& random)
{
  return take(random.below(m_points.size()));
}

kernel::TuningPoint PointPool::take_nearest(const kernel::TuningPoint& to, Random& random)
{
  std::size_t found = 0;
  long least = -1;
  std::uint64_t equals = 0;
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const long distance = steps_between(m_space, m_points[i], to);
    if (least < 0 || distance < least) {
      least = distance;
      equals = 0;
    }
    if (distance == least && random.below(++equals) == 0) {
      found = i;
    }
  }
  return take(found);
}

bool PointPool::take_if_there(const kernel::TuningPoint& point)
{
  const auto found = std::ranges::find(m_points, point);
  if (found == m_points.end()) {
    return false;
  }
  take(static_cast<std::size_t>(found - m_points.begin()));
  return true;
}

} // namespace hone::tune
