#include "tune/pool.h"
#include "tune/strategies.h"

#include <algorithm>

namespace hone::tune {

namespace {

constexpr std::size_t k_population = 12;  // parents; before there are as many, points are drawn
constexpr double k_mutation = 0.2;        // chance that a value of a child is a neighbour of what it inherited
constexpr int k_attempts = 40;            // children that are illegal or known, before a point is drawn
constexpr std::uint64_t k_tournament = 2; // drawn for each parent; the faster one is taken

// Children take each value from one of two fast parents, and now and then a neighbouring value. Only legal points that
// were not tried are proposed. A steady state: each trial may replace the slowest parent, so there are no generations
// to wait for.
class Genetic final : public Strategy {
public:
  std::string_view name() const override { return "genetic"; }

  void begin(TuningProblem problem) override
  {
    m_space = problem.space;
    m_pool = PointPool(std::move(problem.space), std::move(problem.points));
    m_random = Random(problem.seed);
    m_drawn = 0;
    m_parents = {{std::move(problem.start), 1.0}};
  }

  std::optional<Proposal> next() override
  {
    if (m_pool.empty()) {
      return std::nullopt;
    }
    if (++m_drawn < k_population || m_parents.size() < 2) {
      return Proposal{m_pool.take_random(m_random)};
    }
    for (int attempt = 0; attempt < k_attempts; ++attempt) {
      kernel::TuningPoint point = child();
      if (m_pool.take_if_there(point)) {
        return Proposal{std::move(point)};
      }
    }
    return Proposal{m_pool.take_random(m_random)};
  }

  void report(const TuningTrial& trial) override
  {
    if (!trial.ok) {
      return;
    }
    m_parents.push_back({trial.point, trial.ratio});
    std::ranges::stable_sort(m_parents, std::ranges::greater(), &Parent::ratio);
    m_parents.resize(std::min(m_parents.size(), k_population));
  }

private:
  struct Parent {
    kernel::TuningPoint point;
    double ratio = 0;
  };

  const kernel::TuningPoint& parent()
  {
    std::uint64_t found = m_parents.size();
    for (std::uint64_t i = 0; i < k_tournament; ++i) {
      found = std::min(found, m_random.below(m_parents.size())); // they are sorted
    }
    return m_parents[found].point;
  }

  kernel::TuningPoint child()
  {
    const kernel::TuningPoint& mother = parent();
    const kernel::TuningPoint& father = parent();
    kernel::TuningPoint point = mother;
    for (const kernel::TuningParameter& parameter : m_space.parameters) {
      const kernel::TuningPoint& from = m_random.below(2) == 0 ? mother : father;
      const auto value = from.find(parameter.name);
      std::int64_t inherited = value == from.end() ? parameter.default_value : value->second;
      if (m_random.uniform() < k_mutation) {
        inherited = neighbour(parameter, inherited);
      }
      point[parameter.name] = inherited;
    }
    return point;
  }

  std::int64_t neighbour(const kernel::TuningParameter& parameter, std::int64_t value)
  {
    const auto at = std::ranges::find(parameter.values, value);
    const bool up = m_random.below(2) == 0;
    if (at == parameter.values.end() || (up && at + 1 == parameter.values.end())
        || (!up && at == parameter.values.begin())) {
      return value;
    }
    return up ? *(at + 1) : *(at - 1);
  }

  kernel::TuningSpace m_space;
  PointPool m_pool;
  std::vector<Parent> m_parents; // fastest first
  std::size_t m_drawn = 0;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_genetic_strategy()
{
  return std::make_unique<Genetic>();
}

} // namespace hone::tune
