// The vendor libraries beside our own kernel: each in the strongest of its settings, under the same recipe, in the
// same run.
#pragma once

#include "gate/gate.h"
#include "policy/policy.h"

#include <string>
#include <vector>

namespace hone::policy {

constexpr const char* k_plain_loops = "loops-ikj"; // the name of loops of our own among the baselines

// A library setting (or plain loops) with the time it took when measured alone.
struct ScoutedBaseline {
  gate::Baseline baseline;
  record::Contender contender;
  record::TimeEstimate time;
};

// Times every setting of every library this machine has, quickly, and keeps the fastest of each library. Libraries that
// fail are reported to the observer and left out.
Result<std::vector<ScoutedBaseline>> scout_baselines(PolicyContext& context);

struct BaselineResult {
  gate::Baseline baseline;
  record::ComparisonResult comparison; // ratio > 1: our contender is faster
};

// Our contender against each scouted baseline, and against the plain ikj loops where the engine can make them.
Result<std::vector<BaselineResult>> compare_with_baselines(PolicyContext& context, const record::Contender& ours,
                                                           const std::vector<ScoutedBaseline>& scouted);

} // namespace hone::policy
