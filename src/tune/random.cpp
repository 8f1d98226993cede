#include "tune/strategies.h"

namespace hone {

namespace {

// A random permutation: unbiased, so any prefix that the budget allows is a fair sample of the space.
class RandomStrategy final : public Strategy {
public:
  std::string_view name() const override { return "random"; }

  void begin(const TuningSpace&, const TuningPoint&, std::vector<TuningPoint> points, std::uint64_t seed) override
  {
    m_points = std::move(points);
    m_random = Random(seed);
  }

  std::optional<TuningPoint> next() override
  {
    if (m_points.empty()) {
      return std::nullopt;
    }
    // One step of a Fisher-Yates shuffle; our own, so that a seed means the same on every library.
    std::swap(m_points[m_random.below(m_points.size())], m_points.back());
    TuningPoint point = std::move(m_points.back());
    m_points.pop_back();
    return point;
  }

  void report(const TuningTrial&) override {} // the order does not depend on what was seen

private:
  std::vector<TuningPoint> m_points;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_random_strategy()
{
  return std::make_unique<RandomStrategy>();
}

} // namespace hone
