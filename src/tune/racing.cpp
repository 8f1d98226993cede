#include "tune/pool.h"
#include "tune/strategies.h"
#include "tune/surrogate.h"
#include "tune/trial_ranking.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone::tune {

namespace {

constexpr int k_look_pairs = 1;             // of a point's measurement: few, since most points are clearly slower
constexpr int k_most_pairs = 4;             // of a point that stays in the race
constexpr std::size_t k_neighbours = 4;     // one new point of so many is a neighbour of the best so far
constexpr std::size_t k_survivors = 3;      // that are measured again at once, at most
constexpr std::size_t k_first_points = 8;   // drawn apart from each other before there is a model
constexpr std::size_t k_drawn_for_one = 24; // points of which the farthest from all others is taken
constexpr double k_promising = 0.5;         // share of the points that the first are drawn from, by expected cost
constexpr std::size_t k_most_inputs = 160;  // measurements that the model is fitted to
constexpr std::size_t k_fit_every = 4;      // new measurements between two fits of the length scales
constexpr double k_deep = 0.7;              // log ratios below the best by more than this are all alike

// Races: a new point gets one short measurement. When it is clearly slower than the lead it is never measured again;
// when it may lead, it is measured again at once until it is known as well as any trial, so that one lucky measurement
// changes nothing. Which point is looked at next, a model of what was seen so far says (expected improvement under a
// Gaussian process), with the expected cost as one of its inputs; now and then it is a neighbour of the best.
class Racing final : public Strategy {
public:
  std::string_view name() const override { return "racing"; }

  void begin(TuningProblem problem) override
  {
    m_problem = std::move(problem);
    m_random = Random(m_problem.seed);
    m_pool = PointPool(m_problem.space, std::move(m_problem.points));
    m_standings = {};
    m_pending.clear();
    m_again.clear();
    m_reported = false;
    m_fitted = 0;
    scale_costs();
    m_standings.add({m_problem.start, true, 1.0, "", k_most_pairs});
  }

  std::optional<Proposal> next() override
  {
    if (m_again.empty() && (m_reported || (m_pool.empty() && m_pending.empty()))) {
      m_reported = false;
      m_again = survivors();
    }
    if (!m_again.empty()) {
      kernel::TuningPoint point = std::move(m_again.back());
      m_again.pop_back();
      return proposed(std::move(point));
    }
    if (m_pool.empty()) {
      return std::nullopt;
    }
    if ((m_standings.size() + m_pending.size()) % k_neighbours == 0) {
      return proposed(m_pool.take_nearest(best_so_far(), m_random));
    }
    return proposed(m_standings.size() + m_pending.size() <= k_first_points ? apart_from_all() : most_promising());
  }

  void report(const TuningTrial& trial) override
  {
    std::erase(m_pending, trial.point);
    m_pool.take_if_there(trial.point);
    m_standings.add(trial);
    m_reported = true;
  }

private:
  Proposal proposed(kernel::TuningPoint point)
  {
    m_pending.push_back(point);
    return {std::move(point), k_look_pairs};
  }

  kernel::TuningPoint best_so_far() const
  {
    const std::vector<RankedPoint> ranked = m_standings.fastest();
    return ranked.empty() ? m_problem.start : ranked.front().point;
  }

  // Those that may still be the fastest, the slowest first: they are taken from the back.
  std::vector<kernel::TuningPoint> survivors() const
  {
    const std::vector<RankedPoint> ranked = m_standings.fastest();
    double lead = 0; // what the best is at least
    for (const RankedPoint& point : ranked) {
      lead = std::max(lead, point.cautious());
    }
    std::vector<kernel::TuningPoint> result;
    for (const RankedPoint& point : ranked) {
      const double hope = point.log_ratio + 2 * k_pair_deviation / std::sqrt(static_cast<double>(point.pairs));
      const bool known = point.pairs >= k_most_pairs || std::ranges::find(m_pending, point.point) != m_pending.end();
      if (!known && hope >= std::log(lead) && result.size() < k_survivors) {
        result.push_back(point.point);
      }
    }
    std::ranges::reverse(result);
    return result;
  }

  // Costs on a scale of 0 (the least) to 1.
  void scale_costs()
  {
    m_costs.clear();
    if (!m_problem.cost) {
      return;
    }
    std::vector<double> costs{m_problem.cost(m_problem.start)};
    for (const kernel::TuningPoint& point : m_pool.points()) {
      costs.push_back(m_problem.cost(point));
    }
    std::ranges::sort(costs);
    m_costs = std::move(costs);
  }

  double scaled_cost(const kernel::TuningPoint& point) const
  {
    const auto at = std::ranges::lower_bound(m_costs, m_problem.cost(point)) - m_costs.begin();
    return static_cast<double>(at) / static_cast<double>(std::max<std::size_t>(1, m_costs.size() - 1));
  }

  Surrogate::Input input_of(const kernel::TuningPoint& point) const
  {
    Surrogate::Input input;
    for (const kernel::TuningParameter& parameter : m_problem.space.parameters) {
      const auto value = point.find(parameter.name);
      const auto at =
        value == point.end() ? parameter.values.begin() : std::ranges::find(parameter.values, value->second);
      const auto steps = static_cast<double>(std::max<std::size_t>(2, parameter.values.size()) - 1);
      input.push_back(static_cast<double>(at - parameter.values.begin()) / steps);
    }
    if (!m_costs.empty()) {
      input.push_back(scaled_cost(point));
    }
    return input;
  }

  static double distance(const Surrogate::Input& a, const Surrogate::Input& b)
  {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
  }

  // Of some that are drawn among the promising ones, the one that is farthest from all that are known.
  kernel::TuningPoint apart_from_all()
  {
    std::vector<Surrogate::Input> known;
    for (const auto& [point, ranked] : m_standings.all()) {
      known.push_back(input_of(point));
    }
    for (const kernel::TuningPoint& point : m_pending) {
      known.push_back(input_of(point));
    }
    const std::vector<kernel::TuningPoint>& points = m_pool.points();
    std::size_t best = m_random.below(points.size());
    double farthest = -1;
    for (std::size_t i = 0; i < k_drawn_for_one; ++i) {
      const std::size_t drawn = m_random.below(points.size());
      if (!m_costs.empty() && scaled_cost(points[drawn]) > k_promising) {
        continue;
      }
      const Surrogate::Input input = input_of(points[drawn]);
      double nearest = INFINITY;
      for (const Surrogate::Input& other : known) {
        nearest = std::min(nearest, distance(input, other));
      }
      if (nearest > farthest) {
        farthest = nearest;
        best = drawn;
      }
    }
    return m_pool.take(best);
  }

  // The measurements that the model sees: the fastest, when there are too many.
  void fit_model()
  {
    std::vector<const RankedPoint*> seen;
    double best = 0;
    for (const auto& [point, ranked] : m_standings.all()) {
      seen.push_back(&ranked);
      best = std::max(best, ranked.ok ? ranked.log_ratio : best);
    }
    if (seen.size() > k_most_inputs) {
      std::ranges::sort(seen, std::ranges::greater(),
                        [](const RankedPoint* ranked) { return ranked->ok ? ranked->log_ratio : -INFINITY; });
      seen.resize(k_most_inputs);
    }
    std::vector<Surrogate::Input> inputs;
    std::vector<double> values, variances;
    for (const RankedPoint* ranked : seen) {
      inputs.push_back(input_of(ranked->point));
      values.push_back(ranked->ok ? std::max(ranked->log_ratio, best - k_deep) : best - k_deep);
      variances.push_back(k_pair_deviation * k_pair_deviation / std::max(1, ranked->pairs));
    }
    m_lead = best;
    if (m_standings.size() >= m_fitted + k_fit_every) {
      m_fitted = m_standings.size();
      m_model.fit(inputs, values, variances);
    } else {
      m_model.condition(inputs, values, variances);
    }
    // What is being measured counts as what it is expected to give, so that the next point is another one.
    for (const kernel::TuningPoint& point : m_pending) {
      inputs.push_back(input_of(point));
      values.push_back(m_model.at(inputs.back()).mean);
      variances.push_back(k_pair_deviation * k_pair_deviation);
    }
    if (!m_pending.empty()) {
      m_model.condition(std::move(inputs), std::move(values), std::move(variances));
    }
  }

  kernel::TuningPoint most_promising()
  {
    fit_model();
    const std::vector<kernel::TuningPoint>& points = m_pool.points();
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (const double gain = expected_gain(m_model.at(input_of(points[i]))); gain > most) {
        most = gain;
        best = i;
      }
    }
    return m_pool.take(best);
  }

  double expected_gain(const Surrogate::Estimate& estimate) const
  {
    const double above = (estimate.mean - m_lead) / estimate.deviation;
    const double density = std::exp(-above * above / 2) / std::sqrt(2 * std::numbers::pi);
    const double below = std::erfc(-above / std::numbers::sqrt2) / 2;
    return estimate.deviation * (above * below + density);
  }

  TuningProblem m_problem;
  PointPool m_pool;
  TrialRanking m_standings;
  std::vector<kernel::TuningPoint> m_pending; // proposed, not yet reported
  std::vector<kernel::TuningPoint> m_again;   // to be measured once more in this round
  std::vector<double> m_costs;                // expected, sorted; empty where nothing is expected
  Surrogate m_model;
  double m_lead = 0;
  bool m_reported = false; // since the lead was last looked at
  std::size_t m_fitted = 0;
  Random m_random{0};
};

} // namespace

std::unique_ptr<Strategy> make_racing_strategy()
{
  return std::make_unique<Racing>();
}

} // namespace hone::tune
