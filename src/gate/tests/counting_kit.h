// Builds a candidate, runs a call of it in the jail and counts its accesses, for tests.
#pragma once

#include "backend/access_counter.h"
#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace hone::gate::test {

struct CountRequest {
  const kernel::Kernel& kernel;
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  kernel::Sizes sizes;
  std::vector<backend::CacheLevel> levels; // none: this machine's
  std::size_t most_accesses = 0;           // 0: all
  std::string march;                       // of the compiler, in place of "native"; "": that
};

struct CountedCandidate {
  backend::AccessCounts counts;
  backend::CompileJob built; // its files, with the timed assembly (timed.s)
  backend::CompileJob call;  // its files: launches and buffers
  double seconds = 0;        // of the run that counted
};

Result<CountedCandidate> count_candidate(const CountRequest& request);

} // namespace hone::gate::test
