// Calls under a tool of the platform that watches every access to memory, where it has one and it is here: it sees
// races, reads beyond a tensor and looks at what an earlier call left, which neither outputs nor guard bands show. In
// full depth. They take long and need no attention, so that they go on beside the other checks. (internal to the gate)
#pragma once

#include "gate/validate/validation.h"
#include "gate/validate/watched_runs.h"
#include "gate/validate/watched_sizes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone::gate {

class Watching {
public:
  // Chooses the calls, and begins to compile what they take. All that is drawn for them is drawn from now on apart from
  // the validation's own draws, which must not depend on how fast they go.
  static Result<std::unique_ptr<Watching>> begin(Validation& validation);

  // Starts as many as leave the other checks a CPU; none before the first ones were asked for. What they find is told
  // at the end, in their order.
  Result<void> go_on();
  // Carries out the first ones, small calls that are watched whole: most of what is wrong shows there, long before all
  // other sizes had their turn. By a tool that is slow they go on beside the others.
  Result<SessionResult<void>> finish_first_places();
  // Carries out what is left, and notes what was seen.
  Result<SessionResult<void>> finish();

private:
  Watching(Validation& validation, std::string skipped);
  Result<void> choose(const backend::Inspector& inspector);
  Result<SessionResult<void>> start_next(); // brief ones together
  // That leave this program a CPU.
  std::size_t at_once() const;
  Result<SessionResult<void>> carry_out(std::size_t places);
  Result<SessionResult<void>> carry_out_at_once(std::size_t places, std::size_t most);
  void note_what_was_seen();

  Validation& m_validation;
  std::size_t m_cpus;    // that there are
  std::string m_check;   // its name in notes
  std::string m_skipped; // why nothing is watched
  bool m_quick = false;  // a call takes the tool no time
  bool m_begun = false;  // with the first ones
  std::vector<WatchedCall> m_places;
  std::unique_ptr<WatchedRuns> m_runs;
  std::vector<std::pair<std::size_t, inputs::ValueFamily>> m_left; // to be started: place and values; the next one last
  std::optional<SessionEnd> m_ended;                               // by what prevented a call
};

} // namespace hone::gate
