// Calls under watch, each in a jail of its own. (internal to the gate)
#pragma once

#include "backend/inspector.h"
#include "gate/jail.h"
#include "gate/validate/validation.h"
#include "gate/validate/watched_sizes.h"

#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hone {

// What the calls at some sizes came to: words for a note; where the tool gave up, that is said in `skipped`.
struct Seen {
  std::string remarks;
  std::string skipped;
};

class WatchedRuns {
public:
  // `places`: where calls are watched; they are named by their positions.
  WatchedRuns(Validation& validation, const Inspector& inspector, std::span<const WatchedCall> places);

  // A call on values of a family goes on beside this program. Ends with what prevents it.
  Result<LaneResult<void>> start(std::size_t place, ValueFamily family);
  // Calls that have not ended yet.
  std::size_t going_on() const;
  // Whether none is left whose end was not looked at.
  bool empty() const { return m_runs.empty(); }
  // Whether the first of these has ended.
  bool is_first_over() const;
  // Waits for the first of these, and ends with what was found in it.
  Result<LaneResult<void>> finish_first();
  // Of the calls that have ended.
  const Seen& seen(std::size_t place) const { return m_seen[place]; }

private:
  // What a call computes under watch must be right, too, where that is asked for: `expected`.
  struct Run {
    std::size_t place = 0;
    Sizes sizes;
    ValueFamily family = ValueFamily::normal;
    std::vector<std::string> inputs; // the bytes of each argument before the call
    ExpectedOutputs expected;
    std::future<Result<JailOutcome>> outcome;
  };

  static bool is_over(const Run& run);
  Result<JailOutcome> built(const BuildInput& input, const Module& timed);
  Result<JailOutcome> built(const BuildInput& input, const Module& timed, bool bare);
  Result<std::future<Result<JailOutcome>>> inspect(Bench& bench, const ResolvedPlan& plan, std::size_t most_accesses);
  bool hands_outputs_back() const;
  Result<LaneResult<void>> check_results(const Run& run, const std::map<std::string, std::string>& outputs);

  Validation& m_validation;
  const Inspector& m_inspector;
  Random m_random;
  std::uint64_t m_next_style = 0;
  std::optional<Arena> m_former;                                        // of the last call: its memory is used again
  std::vector<std::pair<std::vector<CompileJob>, JailOutcome>> m_built; // mostly one, for all sizes
  std::span<const WatchedCall> m_places;
  std::vector<Seen> m_seen;
  std::deque<Run> m_runs;
};

} // namespace hone
