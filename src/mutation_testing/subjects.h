// The candidates that are mutated, and the sizes at which they are judged.
#pragma once

#include "backend/backend.h"
#include "gate/gate.h"
#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace hone::mutation_testing {

struct MutationSubject {
  std::string name; // "naive", "step list", or the folder it was read from
  kernel::Candidate candidate;
  std::vector<std::string> steps; // applied to the naive candidate
};

// The naive candidate, and the one at the end of the shipped step list where that is another one. Of a kernel without
// an expression: its own first candidate. Steps are chosen as for the kernel's first timed sizes.
Result<std::vector<MutationSubject>> default_subjects(const kernel::Kernel& kernel, const backend::Backend& backend);

// The kernel with one set of timed sizes, so small that a call takes well under a millisecond but with more than one
// tile of most things. Unchanged where the kernel is for its timed sizes alone.
kernel::Kernel with_small_sizes(const kernel::Kernel& kernel);

} // namespace hone::mutation_testing
