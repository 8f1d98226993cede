// Wrong candidates made out of right ones, and whether the gate finds them all.
#pragma once

#include "app/workbench.h"
#include "mutation_testing/mutation_testing.h"

#include <map>
#include <string>
#include <vector>

namespace hone::app {

struct MutateRequest {
  KernelRequest kernel;
  std::string candidate; // folder with a right candidate; empty: the naive one and the one at the step list's end
  std::string depth = "promote";
  std::string out;               // folder for survivors; empty: none
  std::vector<std::string> only; // operators; empty: all
  std::size_t limit = 4;         // mutants per operator and candidate; 0: all
  std::size_t honest = 5;        // how often each unchanged candidate is validated
};

struct MutateResult {
  mutation_testing::MutationPlan plan;
  mutation_testing::MutationReport report;
  // Every wrong candidate was refused, no right one, and there were wrong ones: else nothing was shown.
  bool holds() const;
};

struct ListedMutant {
  std::string subject, operation, change, difference;
};

struct MutantList {
  mutation_testing::MutationPlan plan;
  std::vector<ListedMutant> mutants;
};

// What became of one operator's mutants.
struct OperatorCount {
  std::size_t mutants = 0, killed = 0, survived = 0, equivalent = 0, not_a_mutant = 0;
  std::map<std::string, std::size_t> killed_by; // check -> how many
};
OperatorCount count_of(const mutation_testing::MutationReport& report, std::string_view operation);

Result<MutateResult> mutate(Context& context, const MutateRequest& request);
// The mutants themselves, without the gate.
Result<MutantList> list_mutants(Context& context, const MutateRequest& request);

Json to_json(const MutateResult& result);
Json to_json(const MutantList& list);

} // namespace hone::app
