// Simulates tuning strategies on stored spaces: what a strategy would have found within a budget.
//
// A measurement of n pairs takes the point's recorded build time when it is the first, and n times the recorded time
// of a pair. Its result is the point's recorded ratio with noise: n deviations drawn from those between recorded pairs.
#pragma once

#include "tune/stored_space.h"
#include "tune/tune.h"

namespace hone::tune {

// Where a search begins.
enum class SimulatedStart {
  incumbent, // the recorded one, as a tuning session does: its time is known at no cost
  random,    // a random point, which must be built and measured, too
};

struct SimulatedSearch {
  kernel::TuningPoint chosen;
  double shortfall = 0; // how much slower the chosen point is than the best: 0.03 is 3 %
  double seconds = 0;   // spent
  std::size_t points = 0, measurements = 0;
};

class Simulation {
public:
  // `space` outlives the simulation, and holds a correct trial.
  explicit Simulation(const StoredSpace& space);

  // Stops before the measurement that would pass `budget_s`. Seeds drive the strategy and the noises.
  Result<SimulatedSearch> run(std::string_view strategy, std::uint64_t seed, double budget_s,
                              SimulatedStart start = SimulatedStart::incumbent) const;

  double best_ratio() const { return m_best; }
  // The best known ratio of a point: for the fastest, from interleaved measurements; else as recorded. 0: it failed.
  double true_ratio(const kernel::TuningPoint& point) const;

private:
  TuningProblem problem_from(const kernel::TuningPoint& start, std::uint64_t seed) const;
  double noise(int pairs, Random& random) const;

  const StoredSpace& m_space;
  std::map<kernel::TuningPoint, const StoredTrial*> m_trials;
  std::vector<const StoredTrial*> m_correct;
  std::map<kernel::TuningPoint, double> m_true_ratios;
  std::vector<double> m_deviations; // of log ratios of single pairs
  double m_best = 0;
};

} // namespace hone::tune
