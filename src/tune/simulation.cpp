#include "tune/simulation.h"

#include "tune/cost_model.h"
#include "tune/standings.h"

#include <algorithm>
#include <cmath>

namespace hone {

Simulation::Simulation(const StoredSpace& space) : m_space(space)
{
  for (const StoredTrial& trial : space.trials) {
    m_trials[trial.point] = &trial;
    m_truth[trial.point] = trial.ratio();
    const auto pairs = static_cast<double>(trial.ratios.size());
    for (const double ratio : trial.ratios) {
      // A mean of n takes its part of the deviations with it.
      const double widened = pairs > 1 ? std::sqrt(pairs / (pairs - 1)) : 0;
      m_deviations.push_back(widened * std::log(ratio / trial.ratio()));
    }
  }
  m_truth.try_emplace(space.incumbent, 1.0); // it need not be among the points
  for (const StoredTrial& trial : space.best) {
    m_truth[trial.point] = trial.ratio();
  }
  for (const StoredTrial& trial : space.best.empty() ? space.trials : space.best) {
    m_best = std::max(m_best, m_truth[trial.point]);
  }
}

double Simulation::truth(const TuningPoint& point) const
{
  const auto found = m_truth.find(point);
  return found == m_truth.end() ? 0 : found->second;
}

double Simulation::disturbance(int pairs, Random& random) const
{
  double sum = 0;
  for (int i = 0; i < pairs && !m_deviations.empty(); ++i) {
    sum += m_deviations[random.below(m_deviations.size())];
  }
  return std::exp(sum / std::max(1, pairs));
}

Result<SimulatedSearch> Simulation::run(std::string_view strategy, std::uint64_t seed, double budget_s) const
{
  HONE_TRY(const auto searching, make_strategy(strategy));
  Random random(seed * 0x9e3779b97f4a7c15U + 1);
  TuningProblem problem{
    m_space.space(), m_space.incumbent, {}, seed, tile_cost_model(m_space.space(), m_space.plan_facts)};
  for (const StoredTrial& trial : m_space.trials) {
    if (trial.point != m_space.incumbent) {
      problem.points.push_back(trial.point);
    }
  }
  searching->begin(std::move(problem));
  Standings standings;
  standings.add({m_space.incumbent, true, 1.0, "correct", k_trial_pairs}); // it is there already, and costs nothing
  SimulatedSearch search;
  while (const auto proposal = searching->next()) {
    const StoredTrial& stored = *m_trials.at(proposal->point);
    const bool first = standings.find(proposal->point) == nullptr;
    const double pair_s = stored.measure_s / static_cast<double>(std::max<std::size_t>(1, stored.ratios.size()));
    const double cost = (first ? stored.build_s + stored.validate_s : 0) + pair_s * proposal->pairs;
    if (search.seconds + cost > budget_s) {
      break;
    }
    search.seconds += cost;
    search.points += first ? 1 : 0;
    ++search.measurements;
    const double ratio = truth(proposal->point) * disturbance(proposal->pairs, random);
    const TuningTrial trial{proposal->point, stored.status == Status::correct, ratio,
                            std::string(name_of(stored.status)), proposal->pairs};
    standings.add(trial);
    searching->report(trial);
  }
  search.chosen = standings.fastest().front().point;
  search.shortfall = std::max(0.0, m_best / truth(search.chosen) - 1);
  return search;
}

} // namespace hone
