// Calls under watch, each in a jail of its own. (internal to the gate)
#pragma once

#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"
#include "gate/validate/watched_builds.h"
#include "gate/validate/watched_sizes.h"

#include <cstddef>
#include <deque>
#include <expected>
#include <future>
#include <map>
#include <semaphore>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace hone::gate {

// What the calls at some sizes came to: words for a note; where the tool gave up, that is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

class WatchedRuns {
public:
  // `places`: where calls are watched; they are named by their positions. `at_once`: starts that are carried out at a
  // time; the others wait for their turn.
  WatchedRuns(Validation& validation, const backend::Inspector& inspector, std::span<const WatchedCall> places,
              std::size_t at_once);
  WatchedRuns(const WatchedRuns&) = delete;
  WatchedRuns& operator=(const WatchedRuns&) = delete;
  ~WatchedRuns(); // stops what is carried out

  // Begins to compile what calls at a place take, beside this program.
  Result<void> build_ahead(std::size_t place);

  // From now on one more, or one fewer, at a time.
  void use_another() { m_turns.release(); }
  void use_one_fewer() { m_turns.acquire(); }

  // Calls at places, each on values of a family, go on beside this program, one after the other. Ends with what
  // prevents one of them.
  Result<SessionResult<void>> start(std::span<const std::pair<std::size_t, inputs::ValueFamily>> calls);
  // Starts that have not ended yet.
  std::size_t going_on() const;
  // Whether none is left whose end was not looked at.
  bool empty() const { return m_runs.empty(); }
  // Whether the first of these has ended.
  bool is_first_over() const;
  // Waits for the first of these, and ends with what was found in its calls.
  Result<SessionResult<void>> finish_first();
  // Of the calls that have ended.
  const Seen& seen(std::size_t place) const { return m_seen[place]; }

private:
  // What a call computes under watch must be right, too, where that is asked for: `expected`.
  struct Call {
    std::size_t place = 0;
    kernel::Sizes sizes;
    std::string values;              // names of rows
    std::vector<std::string> inputs; // the bytes of each argument before the call
    ExpectedOutputs expected;
  };
  struct Run {
    std::vector<Call> calls;
    std::future<Result<std::vector<JailOutcome>>> outcomes; // one each
  };
  // Calls of one build, which can share a jail, before they begin.
  struct Starting {
    std::vector<Call> calls;
    std::vector<backend::CompileJob> jobs; // one each
  };
  // What goes on in the jail, or, where what the tool runs does not compile, how that ended.
  using Inspection = std::expected<backend::CompileJob, JailOutcome>;

  static bool is_over(const Run& run);
  backend::BuildInput build_input(const Prepared& prepared, const kernel::ResolvedPlan& plan) const;
  Result<Inspection> inspection(Harness& harness, const kernel::ResolvedPlan& plan, std::size_t most_accesses);
  Result<SessionResult<void>> set_up(std::size_t place, inputs::ValueFamily family, Starting& launches,
                                     Starting& preparation);
  void begin(Starting starting);
  Result<SessionResult<void>> judge(const Call& call, const JailOutcome& outcome);
  bool hands_outputs_back() const;
  Result<SessionResult<void>> check_results(const Call& call, const std::map<std::string, std::string>& outputs);

  Validation& m_validation;
  const backend::Inspector& m_inspector;
  Random m_random;
  inputs::InputDraw m_draw;
  std::uint64_t m_next_style = 0;
  HarnessRest m_former; // of the last call: its memory is used again
  std::stop_source m_stop;
  WatchedBuilds m_builds;
  std::span<const WatchedCall> m_places;
  std::vector<Seen> m_seen;
  std::counting_semaphore<> m_turns;
  std::deque<Run> m_runs; // last: they use all of the above
};

} // namespace hone::gate
