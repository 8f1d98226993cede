// What a gate holds while it is open. (internal to the gate)
#pragma once

#include "gate/arena.h"
#include "gate/build.h"
#include "gate/cpus.h"
#include "gate/gate.h"
#include "gate/harness.h"
#include "gate/references.h"
#include "util/random.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::gate {

struct Gate::Impl {
  std::shared_ptr<const kernel::Kernel> kernel;
  const backend::Backend& backend;
  GateOptions options;
  backend::DeviceInfo device;
  std::string environment;
  std::chrono::milliseconds call_deadline; // while nothing is known about times
  std::uint64_t seed;                      // of the first validation; later ones count from it
  std::uint64_t pool_seed;                 // of the input sets whose references are kept
  Random secret;                           // choices nobody must foresee and nobody must replay
  References references;
  std::vector<int> cpus; // that this process may use; timed calls run on the first ones
  CpuClaim claim;        // to the first of them
  BuildCache builds;
  std::optional<Arena> timing_memory; // of the last comparison
  std::uint64_t validations = 0;
  std::map<std::string, record::Verdict> validated; // by contender, sizes, threads and depth
  std::map<std::string, double> call_times;         // by contender, sizes and threads: the last median, seconds

  Impl(std::shared_ptr<const kernel::Kernel> k, const backend::Backend& b, GateOptions o, backend::DeviceInfo d,
       std::string env, References r);

  // Whether a recipe can be carried out here.
  Result<void> check_threads(const record::Recipe& recipe) const;
  std::vector<int> cpus_for(const record::Recipe& recipe) const
  {
    return {cpus.begin(), cpus.begin() + recipe.threads};
  }
  // Plan and module for given sizes: ends with `constraints`, `compile` or `rejected` when the candidate is at fault.
  Result<SessionResult<std::shared_ptr<const Prepared>>> prepare(const record::Contender& contender,
                                                                 const kernel::Sizes& sizes);

  Result<record::Verdict> judge(const record::Contender& contender, const record::Contender& incumbent,
                                const record::Recipe& recipe, record::Depth depth, bool both_regimes,
                                std::chrono::milliseconds deadline);
  Result<record::Verdict> validate(const record::Contender& contender, const record::Recipe& recipe,
                                   record::Depth depth, std::chrono::milliseconds deadline);
  // The same at the recipe's further sizes, too: one call on plain values at each.
  Result<record::Verdict> validate_everywhere(const record::Contender& contender, const record::Recipe& recipe,
                                              record::Depth depth, std::chrono::milliseconds deadline);
  Result<record::Verdict> validate_anew(const record::Contender& contender, const record::Recipe& recipe,
                                        record::Depth depth, std::chrono::milliseconds deadline);
  // How long one call may take: a multiple of what the incumbent is known to take, else `call_deadline`.
  std::chrono::milliseconds deadline_beside(const record::Contender& incumbent, const record::Recipe& recipe) const;
  // Measures in the recipe's regime, then in the other one where asked for, and enters what it finds.
  Result<void> measure(record::Verdict& verdict, const record::Contender& contender, const record::Contender& incumbent,
                       const record::Recipe& recipe, record::Depth depth, bool both_regimes);
  // One regime. A contender that fails a check of its timed calls is a SessionEnd; the incumbent's failure is an Error.
  // In full depth, doubt left by the first pairs is settled with more.
  Result<SessionResult<record::ComparisonResult>> compare(const record::Contender& contender,
                                                          const record::Contender& incumbent,
                                                          const record::Recipe& recipe, record::Regime regime,
                                                          record::Depth depth, std::map<std::string, double>& spent);
  // At all sizes of the recipe, by `compare` or `compare_below_ceiling`.
  using Comparing = Result<SessionResult<record::ComparisonResult>> (Impl::*)(const record::Contender&,
                                                                              const record::Contender&,
                                                                              const record::Recipe&, record::Regime,
                                                                              record::Depth,
                                                                              std::map<std::string, double>&);
  Result<SessionResult<record::ComparisonResult>>
  compare_everywhere(Comparing comparing, const record::Contender& contender, const record::Contender& incumbent,
                     const record::Recipe& recipe, record::Regime regime, record::Depth depth,
                     std::map<std::string, double>& spent);
  // The recipe's first sizes, with the measured ceilings in mind: what is faster than they allow is looked at twice.
  Result<SessionResult<record::ComparisonResult>> compare_below_ceiling(const record::Contender& contender,
                                                                        const record::Contender& incumbent,
                                                                        const record::Recipe& recipe,
                                                                        record::Regime regime, record::Depth depth,
                                                                        std::map<std::string, double>& spent);

  void progress(std::string_view phase) const;
};

// Everything that changes what a number means, beside candidate, kernel and recipe: a hash.
std::string environment_of(const backend::Backend& backend, const backend::DeviceInfo& device);
// The kernel's right results, ready to be evaluated.
Result<References> references_for(const kernel::Kernel& kernel, const std::string& environment, const fs::path& cache);

// Names a contender: content of a candidate and its point, or a library and its setting.
std::string identity_of(const record::Contender& contender);

// Enters how a contender failed.
void enter_end(record::Verdict& verdict, const SessionEnd& end);

} // namespace hone::gate
