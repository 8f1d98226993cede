// The mutants of one candidate.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hone::mutation_testing {

struct Mutant {
  std::string operation; // the operator's name: "dropped-term"
  std::string change;    // one line for people: "p < k -> p <= k"
  kernel::Candidate candidate;
};

struct MutantRequest {
  const kernel::Kernel& kernel;
  const kernel::Candidate& original;
  const lower::Dialect& dialect;
  std::vector<std::string> only = {}; // names of operators; empty: all of them
  std::size_t limit = 0;              // per operator, drawn by the seed; 0: every one
  std::uint64_t seed = 1;
};

// In the order of the operators. Those whose files say what another one's (or the original's) say are left out. An
// original without a schedule has no mutants of its expression: its code did not come from there.
Result<std::vector<Mutant>> make_mutants(const MutantRequest& request);

struct MutationOperatorName {
  std::string_view name;
  std::string_view meaning; // "a subscript is one too large"
};
std::vector<MutationOperatorName> mutation_operator_names();

} // namespace hone::mutation_testing
