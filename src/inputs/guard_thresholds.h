// Extents at which a launch plan's conditions change, whatever they are made of: also of what the device has, which no
// file of the candidate says.
#pragma once

#include "kernel/candidate.h"
#include "kernel/kernel.h"
#include "kernel/resolved_plan.h"

#include <cstdint>
#include <vector>

namespace hone::inputs {

// Of each symbol alone, with small extents of the others: the first at which a launch's condition is
// another than just below, up to 2^22; each once, in order. What cannot be evaluated has none.
std::vector<std::int64_t> guard_thresholds(const kernel::Kernel& kernel, const kernel::Candidate& candidate,
                                           const kernel::TuningPoint& point, const kernel::PlanScope& device_facts);

} // namespace hone::inputs
