// The studies of bench_trust, one file each.
#pragma once

#include "util/util.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct StudyOptions {
  int n = 20;                    // comparisons per cell
  double seconds = 1e9;          // wall time; what is not done by then is left out
  std::uint64_t seed = 1;        // of simulations; n from one seed and n from another are 2 n
  bool neighbour = false;        // a program that lives from memory bandwidth, on another CPU
  std::vector<std::string> only; // kernels by name
  std::vector<std::string> regimes{"hot", "cold"};
  std::vector<double> percent; // true differences
  fs::path kernel, candidate;  // of the cost study: folders
};

// The protocol on modelled machines: every machine, call length and difference n times.
Result<void> study_simulated(const StudyOptions& options);
// Candidates against themselves, in turn.
Result<void> study_same(const StudyOptions& options);
// A kernel that does N units of dependent work against N (1 + d) units.
Result<void> study_known(const StudyOptions& options);
// Seconds per candidate by phase, for screening and promotion.
Result<void> study_cost(const StudyOptions& options);

} // namespace hone
