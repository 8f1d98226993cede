#include "tune/simulation.h"

#include "tune/cost_model.h"
#include "tune/trial_ranking.h"

#include <algorithm>
#include <cmath>

namespace hone::tune {

namespace {

double pair_seconds(const StoredTrial& trial)
{
  return trial.measure_s / static_cast<double>(std::max<std::size_t>(1, trial.ratios.size()));
}

} // namespace

Simulation::Simulation(const StoredSpace& space) : m_space(space)
{
  for (const StoredTrial& trial : space.trials) {
    m_trials[trial.point] = &trial;
    m_true_ratios[trial.point] = trial.ratio();
    if (trial.status == record::Status::correct) {
      m_correct.push_back(&trial);
    }
    const auto pairs = static_cast<double>(trial.ratios.size());
    for (const double ratio : trial.ratios) {
      // A mean of n takes its part of the deviations with it.
      const double widened = pairs > 1 ? std::sqrt(pairs / (pairs - 1)) : 0;
      m_deviations.push_back(widened * std::log(ratio / trial.ratio()));
    }
  }
  m_true_ratios.try_emplace(space.incumbent, 1.0); // it need not be among the points
  for (const StoredTrial& trial : space.best) {
    m_true_ratios[trial.point] = trial.ratio();
  }
  for (const StoredTrial& trial : space.best.empty() ? space.trials : space.best) {
    m_best = std::max(m_best, m_true_ratios[trial.point]);
  }
}

double Simulation::true_ratio(const kernel::TuningPoint& point) const
{
  const auto found = m_true_ratios.find(point);
  return found == m_true_ratios.end() ? 0 : found->second;
}

double Simulation::noise(int pairs, Random& random) const
{
  double sum = 0;
  for (int i = 0; i < pairs && !m_deviations.empty(); ++i) {
    sum += m_deviations[random.below(m_deviations.size())];
  }
  return std::exp(sum / std::max(1, pairs));
}

TuningProblem Simulation::problem_from(const kernel::TuningPoint& start, std::uint64_t seed) const
{
  const kernel::TuningSpace space = m_space.space();
  TuningProblem problem{space, start, {}, seed, tile_cost_model(space, m_space.plan_facts)};
  for (const StoredTrial& trial : m_space.trials) {
    if (trial.point != start) {
      problem.points.push_back(trial.point);
    }
  }
  return problem;
}

Result<SimulatedSearch> Simulation::run(std::string_view strategy, std::uint64_t seed, double budget_s,
                                        SimulatedStart from) const
{
  HONE_TRY(const auto searching, make_strategy(strategy));
  Random random(seed * 0x9e3779b97f4a7c15U + 1);
  SimulatedSearch search;
  search.chosen = m_space.incumbent;
  if (m_correct.empty()) {
    return fail("the stored space of " + m_space.kernel + " holds no point that is right", "record it anew");
  }
  if (from == SimulatedStart::random) {
    const StoredTrial& drawn = *m_correct[random.below(m_correct.size())];
    search.chosen = drawn.point;
    search.seconds = drawn.build_s + drawn.validate_s + k_trial_pairs * pair_seconds(drawn);
  }
  const double base = true_ratio(search.chosen);
  searching->begin(problem_from(search.chosen, seed));
  TrialRanking ranking;
  ranking.add({search.chosen, true, 1.0, "correct", k_trial_pairs});
  while (const auto proposal = searching->next()) {
    const StoredTrial& stored = *m_trials.at(proposal->point);
    const bool first = ranking.find(proposal->point) == nullptr;
    const double cost = (first ? stored.build_s + stored.validate_s : 0) + pair_seconds(stored) * proposal->pairs;
    if (search.seconds + cost > budget_s) {
      break;
    }
    search.seconds += cost;
    search.points += first ? 1 : 0;
    ++search.measurements;
    const double ratio = true_ratio(proposal->point) / base * noise(proposal->pairs, random);
    const TuningTrial trial{proposal->point, stored.status == record::Status::correct, ratio,
                            std::string(record::name_of(stored.status)), proposal->pairs};
    ranking.add(trial);
    searching->report(trial);
  }
  search.chosen = ranking.fastest().front().point;
  search.shortfall = std::max(0.0, m_best / true_ratio(search.chosen) - 1);
  return search;
}

} // namespace hone::tune
