#include "tune/pool.h"
#include "tune/strategies.h"

namespace hone::tune {

namespace {

// A random permutation: unbiased, so any prefix that the budget allows is a fair sample of the space.
class RandomStrategy final : public Strategy {
public:
  std::string_view name() const override { return "random"; }

  void begin(TuningProblem problem) override
  {
    m_pool = PointPool(std::move(problem.space), std::move(problem.points));
    m_random = Random(problem.seed);
  }

  std::optional<Proposal> next() override
  {
    if (m_pool.empty()) {
      return std::nullopt;
    }
    return Proposal{m_pool.take_random(m_random)};
  }

  void report(const TuningTrial&) override {} // the order does not depend on what was seen

private:
  PointPool m_pool;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_random_strategy()
{
  return std::make_unique<RandomStrategy>();
}

} // namespace hone::tune
