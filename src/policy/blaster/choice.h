// Which of several techniques is tried next. (internal to the policy blaster)
#pragma once

#include "knowledge/knowledge.h"
#include "policy/blaster_setting.h"
#include "util/random.h"

#include <cstddef>
#include <span>

namespace hone::policy {

// One that may be tried. `relevance`: of a model, 0 to 1; 0.5 where there is none. `taken`: how often the same was
// tried from the same candidate in this run, by other trajectories.
struct Choosable {
  const knowledge::Estimate* estimate = nullptr;
  double relevance = 0.5;
  int taken = 0;
};

// The position of the chosen one; `options` is not empty.
std::size_t choose(ChoiceRule rule, std::span<const Choosable> options, Random& random);

} // namespace hone::policy
