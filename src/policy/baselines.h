// The vendor libraries beside our own kernel: each in the strongest of its settings, under the same recipe, in the
// same run.
#pragma once

#include "gate/gate.h"
#include "policy/policy.h"

#include <chrono>
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

// What comparisons may still take.
struct TimeLeft {
  std::chrono::steady_clock::time_point end;
  double expected_s = 0; // of the next one
};

// Times every setting of every library this machine has, quickly, and keeps the fastest of each library. Libraries that
// fail are reported to the observer and left out, and so are those whose settings cannot all be looked at in
// `most_seconds`: a library is compared with in its strongest setting or not at all.
Result<std::vector<ScoutedBaseline>> scout_baselines(PolicyContext& context, double most_seconds);

struct BaselineResult {
  gate::Baseline baseline;
  record::ComparisonResult comparison; // ratio > 1: our contender is faster
};

// Our contender against each scouted baseline, the fastest first, and against the plain ikj loops where the engine can
// make them. Comparisons that could not end in time are left out and reported to the observer.
Result<std::vector<BaselineResult>> compare_with_baselines(PolicyContext& context, const record::Contender& ours,
                                                           std::vector<ScoutedBaseline> scouted, TimeLeft left);
// How many comparisons that will be.
int count_rivals(const PolicyContext& context, const std::vector<ScoutedBaseline>& scouted);

} // namespace hone::policy
