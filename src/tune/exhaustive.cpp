#include "tune/strategies.h"

namespace hone::tune {

namespace {

// Every point in the given order: the whole truth about a small space.
class ExhaustiveStrategy final : public Strategy {
public:
  std::string_view name() const override { return "exhaustive"; }

  void begin(TuningProblem problem) override
  {
    m_points = std::move(problem.points);
    m_next = 0;
  }

  std::optional<Proposal> next() override
  {
    if (m_next == m_points.size()) {
      return std::nullopt;
    }
    return Proposal{m_points[m_next++]};
  }

  void report(const TuningTrial&) override {} // the order does not depend on what was seen

private:
  std::vector<kernel::TuningPoint> m_points;
  std::size_t m_next = 0;
};

} // namespace

std::unique_ptr<Strategy> make_exhaustive_strategy()
{
  return std::make_unique<ExhaustiveStrategy>();
}

} // namespace hone::tune
