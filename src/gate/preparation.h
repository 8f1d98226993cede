// Carries out a plan's [[prepare]]: lays weights out ahead of the calls that read them, in a runner of its own that is
// shown nothing but the weights, so that nothing else can be in what it leaves. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/arena_noise.h"
#include "gate/build.h"
#include "gate/runner_session.h"
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
  // `calls`: the session whose calls follow; module and plan are replaced by the preparation's.
  static Result<SessionResult<Preparation>> open(const PreparationBuild& build, SessionSpec calls, Arena& arena);

  // Prepares these sets from the weights that lie in them, over fresh poison; seconds per set. Streaming: neither the
  // weights nor what was prepared stays in the caches.
  SessionResult<double> run(Arena& arena, std::span<const std::uint32_t> sets, Random& random, Store store);

  // CPU time that its runner used after its last answer.
  double late_cpu_s() const { return m_session.late_cpu_s(); }

  RunnerSession& session() { return m_session; }
  const kernel::ResolvedPlan& plan() const { return m_build->plan; }

private:
  Preparation(const PreparationBuild& build, RunnerSession session) : m_build(&build), m_session(std::move(session)) {}

  const PreparationBuild* m_build;
  RunnerSession m_session;
};

} // namespace hone::gate
