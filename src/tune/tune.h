// Searching the space of tuning parameters: strategies propose points, the caller measures them.
#pragma once

#include "kernel/kernel.h"
#include "util/random.h"
#include "util/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tune {

// Legal points of a space: constraints evaluated, in a stable order. `limit` bounds the work on huge spaces
// (a random sample of legal points is returned then; `complete` says which).
struct PointList {
  std::vector<kernel::TuningPoint> points;
  bool complete = true;
};
Result<PointList> legal_points(const kernel::TuningSpace& space, const kernel::Sizes& sizes,
                               const kernel::PlanScope& device_facts, std::size_t limit, Random& random);

// True when all constraints hold that can be judged before a launch is resolved: those on `shared` are left to the
// gate.
Result<bool> is_legal(const kernel::TuningPoint& point, const kernel::TuningSpace& space, const kernel::Sizes& sizes,
                      const kernel::PlanScope& device_facts);

constexpr int k_trial_pairs = 2; // of runners, for a trial: it only ranks

// One measurement that a strategy asks for. A point proposed again asks for another measurement of it.
struct Proposal {
  kernel::TuningPoint point;
  int pairs = k_trial_pairs;
};

struct TuningTrial {
  kernel::TuningPoint point;
  bool ok = false;
  double ratio = 0;   // incumbent's time / this point's time; meaningful when ok
  std::string status; // gate status word
  int pairs = k_trial_pairs;
};

// What a point is expected to cost, on any scale, before anything was measured: it only ranks.
using CostModel = std::function<double(const kernel::TuningPoint&)>;

struct TuningProblem {
  kernel::TuningSpace space;
  kernel::TuningPoint start;               // what ratios are measured against; not among `points`
  std::vector<kernel::TuningPoint> points; // legal, and not tried yet
  std::uint64_t seed = 1;
  CostModel cost = {}; // may be empty
};

// Proposes the next measurements; sees what earlier ones gave. A strategy chooses points and in which order they are
// ranked; how the fastest are judged in the end is not its business.
class Strategy {
public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  virtual void begin(TuningProblem problem) = 0;
  // Nothing: wait for the reports that are outstanding; with none outstanding, finished.
  virtual std::optional<Proposal> next() = 0;
  // In any order; also of points that were not asked for (measured in an earlier session).
  virtual void report(const TuningTrial& trial) = 0;
};

std::vector<std::string> strategy_names(); // the default first
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name);

// Also public: "tune/cost_model.h", an expectation from tile sizes; "tune/trial_ranking.h", the trials of a session,
// ranked; "tune/stored_space.h" and "tune/cache_file.h", tuned spaces in files; "tune/simulation.h", strategies on
// stored spaces.

} // namespace hone::tune
