// Runs mutants and their originals through the gate.
#pragma once

#include "gate/gate.h"
#include "mutation_testing/mutant.h"
#include "mutation_testing/subjects.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::mutation_testing {

enum class MutantFate {
  killed,      // the gate refused it
  survived,    // the gate called it correct
  equivalent,  // the compiler made the original's machine code of it
  not_a_mutant // it does not compile, or its plan cannot be laid out
};

std::string_view name_of(MutantFate fate); // "killed", "survived", "equivalent", "not a mutant"

struct MutantOutcome {
  std::string subject; // MutationSubject::name
  std::string operation, change;
  MutantFate fate = MutantFate::killed;
  record::Status status = record::Status::correct; // the gate's
  std::string check;                               // that killed it: "hidden sizes", "work-groups", ...
  std::string reason;                              // of the gate, one line
  std::string difference; // of a survivor, and of a wrongly refused one: lines against the original
};

// A control: the unchanged original, validated with a seed of its own.
struct ControlOutcome {
  std::string subject;
  std::uint64_t seed = 0;
  record::Status status = record::Status::correct;
  std::string reason; // empty when correct
};

struct MutationPlan {
  std::shared_ptr<const kernel::Kernel> kernel; // whose first timed sizes they are judged at
  const backend::Backend* backend = nullptr;
  std::vector<MutationSubject> subjects;
  std::vector<std::string> only = {}; // operators; empty: all
  std::size_t limit = 0;              // mutants per operator and subject; 0: all
  std::size_t controls = 5;           // runs of each original
  record::Depth depth = record::Depth::promote;
  std::uint64_t seed = 1;
  fs::path survivors = {}; // a folder of each survivor as a candidate is written here; empty: nowhere
  std::stop_token stop = {};
  std::function<void(const std::string&)> progress = {}; // "softmax, step list: 12 of 31"; may be empty
};

struct MutationReport {
  std::vector<MutantOutcome> mutants;
  std::vector<ControlOutcome> controls;
  double seconds = 0;
  bool stopped = false; // before everything was tried

  std::size_t count(MutantFate fate) const;
  std::size_t rejected() const; // controls and equivalent mutants that were refused
  double score() const;         // killed of killed and survived; 1 where there are none
};

// An original that the gate refuses under the first seed is an error: nothing can be learned from its mutants.
Result<MutationReport> run_mutants(const MutationPlan& plan);

// The mutants alone, without the gate.
Result<std::vector<Mutant>> mutants_of(const MutationPlan& plan, const MutationSubject& subject);

} // namespace hone::mutation_testing
