#include "tune/pool.h"
#include "tune/strategies.h"

namespace hone::tune {

namespace {

// A measured ratio this much better moves the search; less may be noise.
constexpr double k_better = 1.005;

// Tries the neighbours of the best point so far, those that differ least first: spaces of tile sizes are smooth, and
// the defaults that a step brings along are a good place to begin. Equally near points come in random order.
class LocalSearch final : public Strategy {
public:
  std::string_view name() const override { return "local-search"; }

  void begin(TuningProblem problem) override
  {
    m_pool = PointPool(std::move(problem.space), std::move(problem.points));
    m_random = Random(problem.seed);
    m_best = std::move(problem.start);
    m_best_ratio = 1;
  }

  std::optional<Proposal> next() override
  {
    if (m_pool.empty()) {
      return std::nullopt;
    }
    return Proposal{m_pool.take_nearest(m_best, m_random)};
  }

  void report(const TuningTrial& trial) override
  {
    if (trial.ok && trial.ratio > k_better * m_best_ratio) {
      m_best = trial.point;
      m_best_ratio = trial.ratio;
    }
  }

private:
  PointPool m_pool;
  kernel::TuningPoint m_best;
  double m_best_ratio = 1;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_local_search_strategy()
{
  return std::make_unique<LocalSearch>();
}

} // namespace hone::tune
