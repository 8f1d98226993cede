// A tuning session inside a policy's run. (internal to the policy room)
#pragma once

#include "policy/session.h"

namespace hone {

struct TuningLimits {
  std::size_t points = 0;
  double seconds = 0; // of wall time, validation of the winner included
};

// The faster checkpoint, or `from` when no point is confirmed to be faster.
Result<Standing> tune(Session& session, const Standing& from, const TuningLimits& limits);

} // namespace hone
