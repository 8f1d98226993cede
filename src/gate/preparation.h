// Carries out a plan's [[prepare]]: lays weights out ahead of the calls that read them, in a runner of its own that is
// shown nothing but the weights, so that nothing else can be in what it leaves. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/arena_noise.h"
#include "gate/build.h"
#include "gate/lane.h"
#include "util/random.h"

#include <memory>
#include <span>

namespace hone::gate {

// What is built for it: see preparation_of(plan).
struct PreparationBuild {
  kernel::ResolvedPlan plan;
  std::shared_ptr<const Build> build;
};

class Preparation {
public:
  // `calls`: the lane whose calls follow; module and plan are replaced by the preparation's.
  static Result<LaneResult<Preparation>> open(const PreparationBuild& build, LaneSpec calls, Arena& arena);

  // Prepares these sets from the weights that lie in them, over fresh poison; seconds per set. Streaming: neither the
  // weights nor what was prepared stays in the caches.
  LaneResult<double> run(Arena& arena, std::span<const std::uint32_t> sets, Random& random, Store store);

  // CPU time that its runner used after its last answer.
  double late_cpu_s() const { return m_lane.late_cpu_s(); }

  Lane& lane() { return m_lane; }
  const kernel::ResolvedPlan& plan() const { return m_build->plan; }

private:
  Preparation(const PreparationBuild& build, Lane lane) : m_build(&build), m_lane(std::move(lane)) {}

  const PreparationBuild* m_build;
  Lane m_lane;
};

} // namespace hone::gate
