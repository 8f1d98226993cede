// What can be validated and measured.
#pragma once

#include "kernel/kernel.h"

#include <string>

namespace hone::record {

// Something that can be measured: a candidate at one tuning point, or a library in one setting.
struct Contender {
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  std::string library;         // instead of a candidate: a library baseline's name ("openblas"), see baselines
  std::string library_setting; // "OPENBLAS_CORETYPE=SkylakeX"
};

} // namespace hone::record
