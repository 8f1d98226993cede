// The end of every climb: the number that is published. (internal to the policy room)
#pragma once

#include "policy/session.h"

namespace hone {

// Judges the best checkpoint against the start, in full and in both regimes, in fresh processes; where it does not
// hold, the next best, and where nothing holds `base`, from which the climb began. Sets the workflow's best.
Result<PolicyOutcome> publish(Session& session, const Standing& start, const Standing& base);

// What a policy returns: of the climb's errors, an interruption is none.
Result<PolicyOutcome> conclude(Session& session, const Standing& start, const Standing& base, Result<void> climb);

} // namespace hone
