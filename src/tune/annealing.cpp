#include "tune/pool.h"
#include "tune/strategies.h"

#include <cmath>

namespace hone::tune {

namespace {

constexpr double k_first_temperature = 0.1; // a point 10 % slower is taken about once in three times
constexpr double k_cooling = 0.95;          // per trial
constexpr double k_last_temperature = 0.002;

// Walks from neighbour to neighbour; to a slower one, too, the more rarely the slower it is and the later it comes. So
// it leaves a hollow that a local search would stay in.
class Annealing final : public Strategy {
public:
  std::string_view name() const override { return "annealing"; }

  void begin(TuningProblem problem) override
  {
    m_pool = PointPool(std::move(problem.space), std::move(problem.points));
    m_random = Random(problem.seed);
    m_current = std::move(problem.start);
    m_current_ratio = 1;
    m_temperature = k_first_temperature;
  }

  std::optional<Proposal> next() override
  {
    if (m_pool.empty()) {
      return std::nullopt;
    }
    return Proposal{m_pool.take_nearest(m_current, m_random)};
  }

  void report(const TuningTrial& trial) override
  {
    if (trial.ok && trial.ratio > 0) {
      const double gain = std::log(trial.ratio / m_current_ratio);
      if (gain >= 0 || m_random.uniform() < std::exp(gain / m_temperature)) {
        m_current = trial.point;
        m_current_ratio = trial.ratio;
      }
    }
    m_temperature = std::max(k_last_temperature, k_cooling * m_temperature);
  }

private:
  PointPool m_pool;
  kernel::TuningPoint m_current;
  double m_current_ratio = 1;
  double m_temperature = k_first_temperature;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_annealing_strategy()
{
  return std::make_unique<Annealing>();
}

} // namespace hone::tune
