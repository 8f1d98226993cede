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

namespace hone {

// Legal points of a space: constraints evaluated, in a stable order. `limit` bounds the work on huge spaces
// (a random sample of legal points is returned then; `complete` says which).
struct PointList {
  std::vector<TuningPoint> points;
  bool complete = true;
};
Result<PointList> legal_points(const TuningSpace& space, const Sizes& sizes, const PlanScope& device_facts,
                               std::size_t limit, Random& random);

// True when all constraints hold that can be judged before a launch is resolved: those on `shared` are left to the
// gate.
Result<bool> is_legal(const TuningPoint& point, const TuningSpace& space, const Sizes& sizes,
                      const PlanScope& device_facts);

struct TuningTrial {
  TuningPoint point;
  bool ok = false;
  double ratio = 0;   // incumbent's time / this point's time; meaningful when ok
  std::string status; // gate status word
};

// Proposes the next points; sees what earlier ones gave.
class Strategy {
public:
  virtual ~Strategy() = default;
  virtual std::string_view name() const = 0;
  // `start`: the point that ratios are measured against; not among `points`. `space` outlives the strategy's use.
  virtual void begin(const TuningSpace& space, const TuningPoint& start, std::vector<TuningPoint> points,
                     std::uint64_t seed) = 0;
  virtual std::optional<TuningPoint> next() = 0; // nothing: finished
  virtual void report(const TuningTrial& trial) = 0;
};

std::vector<std::string> strategy_names(); // "local-search", "random", "exhaustive"
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name);

} // namespace hone
