#include "tune/tune.h"

#include <algorithm>
#include <set>

namespace hone::tune {

namespace {

// Spaces up to this many points are walked whole; beyond, points are drawn at random.
constexpr double k_walk_limit = 1 << 17;
// Draws per point wanted before a sample of a sparse space is given up as it stands.
constexpr std::size_t k_draws_per_point = 64;

// `shared` is known only once a launch is resolved, so constraints on it are left to the gate.
kernel::TuningSpace without_launch_constraints(const kernel::TuningSpace& space)
{
  kernel::TuningSpace result = space;
  std::erase_if(result.constraints, [](const kernel::PlanExpression& constraint) {
    const std::vector<std::string> names = constraint.names();
    return std::ranges::find(names, "shared") != names.end();
  });
  return result;
}

class Legality {
public:
  Legality(const kernel::TuningSpace& space, const kernel::Sizes& sizes, const kernel::PlanScope& device_facts)
    : m_space(without_launch_constraints(space)), m_sizes(sizes), m_device_facts(device_facts)
  {
  }

  Result<bool> holds(const kernel::TuningPoint& point) const
  {
    if (m_space.constraints.empty()) {
      return true;
    }
    std::string reason;
    return kernel::satisfies_constraints(m_space, kernel::plan_scope(m_sizes, point, m_device_facts), &reason);
  }

private:
  kernel::TuningSpace m_space;
  const kernel::Sizes& m_sizes;
  const kernel::PlanScope& m_device_facts;
};

// Counts through a space like an odometer: the last parameter turns fastest.
class Odometer {
public:
  explicit Odometer(const kernel::TuningSpace& space) : m_space(space), m_digits(space.parameters.size(), 0) {}

  kernel::TuningPoint point() const
  {
    kernel::TuningPoint result;
    for (std::size_t i = 0; i < m_digits.size(); ++i) {
      result[m_space.parameters[i].name] = m_space.parameters[i].values[m_digits[i]];
    }
    return result;
  }

  bool advance()
  {
    for (std::size_t i = m_digits.size(); i-- > 0;) {
      if (++m_digits[i] < m_space.parameters[i].values.size()) {
        return true;
      }
      m_digits[i] = 0;
    }
    return false;
  }

private:
  const kernel::TuningSpace& m_space;
  std::vector<std::size_t> m_digits;
};

Result<std::vector<kernel::TuningPoint>> walk_all(const kernel::TuningSpace& space, const Legality& legality)
{
  std::vector<kernel::TuningPoint> points;
  Odometer odometer(space);
  do {
    kernel::TuningPoint point = odometer.point();
    HONE_TRY(const bool legal, legality.holds(point));
    if (legal) {
      points.push_back(std::move(point));
    }
  } while (odometer.advance());
  return points;
}

kernel::TuningPoint draw(const kernel::TuningSpace& space, Random& random)
{
  kernel::TuningPoint point;
  for (const kernel::TuningParameter& parameter : space.parameters) {
    point[parameter.name] = parameter.values[random.below(parameter.values.size())];
  }
  return point;
}

Result<std::vector<kernel::TuningPoint>> sample(const kernel::TuningSpace& space, const Legality& legality,
                                                std::size_t wanted, Random& random)
{
  std::set<kernel::TuningPoint> seen;
  std::vector<kernel::TuningPoint> points;
  for (std::size_t draws = wanted * k_draws_per_point; draws > 0 && points.size() < wanted; --draws) {
    kernel::TuningPoint point = draw(space, random);
    if (!seen.insert(point).second) {
      continue;
    }
    HONE_TRY(const bool legal, legality.holds(point));
    if (legal) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

// A random subset that keeps the order of the whole.
std::vector<kernel::TuningPoint> thin_out(std::vector<kernel::TuningPoint> points, std::size_t wanted, Random& random)
{
  std::vector<kernel::TuningPoint> kept;
  kept.reserve(wanted);
  std::size_t left = points.size();
  for (kernel::TuningPoint& point : points) {
    if (random.below(left--) < wanted - kept.size()) {
      kept.push_back(std::move(point));
    }
  }
  return kept;
}

} // namespace

Result<bool> is_legal(const kernel::TuningPoint& point, const kernel::TuningSpace& space, const kernel::Sizes& sizes,
                      const kernel::PlanScope& device_facts)
{
  return Legality(space, sizes, device_facts).holds(point);
}

Result<PointList> legal_points(const kernel::TuningSpace& space, const kernel::Sizes& sizes,
                               const kernel::PlanScope& device_facts, std::size_t limit, Random& random)
{
  const Legality legality(space, sizes, device_facts);
  if (space.size() > k_walk_limit) {
    HONE_TRY(std::vector<kernel::TuningPoint> points, sample(space, legality, limit, random));
    return PointList{std::move(points), false};
  }
  HONE_TRY(std::vector<kernel::TuningPoint> points, walk_all(space, legality));
  if (points.size() <= limit) {
    return PointList{std::move(points), true};
  }
  return PointList{thin_out(std::move(points), limit, random), false};
}

} // namespace hone::tune
