// A kernel's step list carried out without measuring: where a climb that took every step would end.
#pragma once

#include "backend/backend.h"
#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace hone::policy {

struct UnmeasuredSteps {
  kernel::Candidate start;     // the naive candidate
  kernel::Candidate candidate; // at the end; the start where nothing could be carried out
  std::vector<std::string> carried_out;
  std::vector<kernel::Candidate> before; // each of these was carried out on
};

// The shipped list for the kernel, step by step with the built-in engine and default tuning points. A step is left out
// where it does not apply, cannot be carried out, changes nothing, or could gain nothing at the kernel's first timed
// sizes; tuning sessions are left out.
Result<UnmeasuredSteps> apply_step_list(const kernel::Kernel& kernel, const backend::Backend& backend);

} // namespace hone::policy
