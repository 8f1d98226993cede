// One contender loaded beside its own arena at given sizes, for calls whose every byte is checked.
// (internal to the gate)
#pragma once

#include "gate/build.h"
#include "gate/gate.h"
#include "gate/output_check.h"
#include "gate/preparation.h"
#include "gate/references.h"
#include "gate/runner_session.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace hone::gate {

// A contender made ready for one set of sizes.
struct Prepared {
  record::Contender contender;
  kernel::Sizes sizes;
  kernel::ResolvedPlan plan;
  std::shared_ptr<const Build> build;          // of a library: the request that its runner reads
  std::optional<PreparationBuild> preparation; // where the plan has one
};

// Plan and module of a candidate for given sizes: ends with `constraints`, `compile` or `rejected` when it is at fault.
Result<SessionResult<std::shared_ptr<const Prepared>>>
prepare_candidate(const kernel::Kernel& kernel, BuildCache& builds, const kernel::PlanScope& device_facts,
                  const record::Contender& contender, const kernel::Sizes& sizes);

// Same contender, same sizes, same kernel: a session's description without the arena.
SessionSpec session_spec(const backend::Backend& backend, const Prepared& prepared, std::chrono::milliseconds deadline,
                         std::vector<int> cpus);

// What a harness is for: calls, or their memory alone, where of the runners only that of the preparation is needed.
enum class HarnessUse { calls, memory };

struct HarnessSpec {
  const kernel::Kernel* kernel = nullptr;
  const backend::Backend* backend = nullptr;
  const Prepared* prepared = nullptr;
  std::vector<int> cpus{-1}; // one per thread; nothing is timed here, so that one thread need not be pinned
  bool flush_to_guard = false;
  HarnessUse use = HarnessUse::calls;
  std::uint64_t layout_seed = 0;
  std::chrono::milliseconds deadline{10'000};
  std::stop_token stop;
};

// What is left of a harness: for the next one.
struct HarnessRest {
  std::optional<Arena> arena;
  std::optional<RunnerSession> session; // goes before the arena; only where a runner can take another job
  HarnessRest() = default;
  HarnessRest(HarnessRest&&) = default;
  HarnessRest& operator=(HarnessRest&& other) noexcept
  {
    session = std::exchange(other.session, std::nullopt);
    arena = std::exchange(other.arena, std::nullopt);
    return *this;
  }
};

class Harness {
public:
  static Result<SessionResult<Harness>> open(const HarnessSpec& spec, HarnessRest former = {});
  // Ends the runners, but for one that can take another job.
  static HarnessRest take_rest(Harness harness);

  // Poisons outputs and scratch, fills the inputs; what the contender must find before a call.
  Result<void> set_up(const inputs::InputSet& inputs, std::uint64_t poison_seed);
  // Carries out the plan's [[prepare]], where it has one, on the weights that lie there.
  SessionResult<void> prepare();
  // Prepares and runs the whole plan once on what lies there, then looks at the guards. Inputs are sealed: nobody
  // else can write there.
  SessionResult<BlockTiming> call(CallerState caller = {});
  // The outputs' bytes, one after another, as the last call left them.
  std::vector<std::byte> outputs();

  Arena& arena() { return m_arena; }
  RunnerSession& session() { return *m_session; } // of one for calls, as `call`
  std::optional<Preparation>& preparation() { return m_preparation; }
  const Prepared& prepared() const { return *m_prepared; }
  const kernel::Sizes& sizes() const { return m_prepared->sizes; }

private:
  Harness(const HarnessSpec& spec, Arena arena, std::optional<RunnerSession> session,
          std::optional<Preparation> preparation);

  const kernel::Kernel* m_kernel;
  const Prepared* m_prepared;
  bool m_rebinds;
  Random m_random; // poison of what is prepared
  Arena m_arena;
  std::optional<RunnerSession> m_session;
  std::optional<Preparation> m_preparation;
};

// Ends of a session that the parent found, not the runner.
SessionEnd rejected(std::string reason);
SessionEnd incorrect(std::string reason);

// Returns a session's end from a function that gives a Result<SessionResult<T>>.
struct Ended {
  SessionEnd end;
  template <class T> operator Result<SessionResult<T>>() &&
  {
    return SessionResult<T>(std::unexpected(std::move(end)));
  }
};

} // namespace hone::gate

// HONE_SESSION(auto x, f()): declares x from a Result<SessionResult<T>>, or returns its error or its session's end.
#define HONE_SESSION(declaration, expression)                                                                          \
  HONE_TRY(auto HONE_CONCAT(hone_lane_, __LINE__), expression);                                                        \
  if (!HONE_CONCAT(hone_lane_, __LINE__)) {                                                                            \
    return Ended{std::move(HONE_CONCAT(hone_lane_, __LINE__).error())};                                                \
  }                                                                                                                    \
  declaration = std::move(*HONE_CONCAT(hone_lane_, __LINE__))

// The same for one that gives nothing.
#define HONE_SESSION_CHECK(expression)                                                                                 \
  do {                                                                                                                 \
    HONE_TRY(auto hone_lane_, expression);                                                                             \
    if (!hone_lane_) {                                                                                                 \
      return Ended{std::move(hone_lane_.error())};                                                                     \
    }                                                                                                                  \
  } while (false)
