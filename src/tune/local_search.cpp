#include "tune/strategies.h"

#include <algorithm>
#include <cstdlib>

namespace hone {

namespace {

// A measured ratio this much better moves the search; less may be noise.
constexpr double k_better = 1.005;

// Tries the neighbours of the best point so far, those that differ least first: spaces of tile sizes are smooth, and
// the defaults that a step brings along are a good place to begin. Equally near points come in random order.
class LocalSearch final : public Strategy {
public:
  std::string_view name() const override { return "local-search"; }

  void begin(const TuningSpace& space, const TuningPoint& start, std::vector<TuningPoint> points,
             std::uint64_t seed) override
  {
    m_space = &space;
    m_points = std::move(points);
    m_random = Random(seed);
    m_best = start;
    m_best_ratio = 1;
  }

  std::optional<TuningPoint> next() override
  {
    if (m_points.empty()) {
      return std::nullopt;
    }
    std::swap(m_points[nearest()], m_points.back());
    TuningPoint point = std::move(m_points.back());
    m_points.pop_back();
    return point;
  }

  void report(const TuningTrial& trial) override
  {
    if (trial.ok && trial.ratio > k_better * m_best_ratio) {
      m_best = trial.point;
      m_best_ratio = trial.ratio;
    }
  }

private:
  // Of all that are left; one of the equally near ones.
  std::size_t nearest()
  {
    std::size_t found = 0;
    long least = -1;
    std::uint64_t equals = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
      const long distance = distance_to_best(m_points[i]);
      if (least < 0 || distance < least) {
        least = distance;
        equals = 0;
      }
      if (distance == least && m_random.below(++equals) == 0) {
        found = i;
      }
    }
    return found;
  }

  // Steps along the lists of values. A second parameter that changes counts a little more than a second step of one.
  long distance_to_best(const TuningPoint& point) const
  {
    long steps = 0, changed = 0;
    for (const TuningParameter& parameter : m_space->parameters) {
      const long apart = std::labs(position(parameter, point) - position(parameter, m_best));
      steps += apart;
      changed += apart > 0 ? 1 : 0;
    }
    return 2 * steps + changed;
  }

  static long position(const TuningParameter& parameter, const TuningPoint& point)
  {
    const auto value = point.find(parameter.name);
    const std::int64_t wanted = value == point.end() ? parameter.default_value : value->second;
    return std::ranges::find(parameter.values, wanted) - parameter.values.begin();
  }

  const TuningSpace* m_space = nullptr; // outlives the session
  std::vector<TuningPoint> m_points;
  TuningPoint m_best;
  double m_best_ratio = 1;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_local_search_strategy()
{
  return std::make_unique<LocalSearch>();
}

} // namespace hone
