// One candidate through the gate: build, validate, time.
#pragma once

#include "app/sweep.h"

#include <optional>
#include <string>

namespace hone::app {

struct CandidateRequest {
  KernelRequest kernel;
  std::string candidate; // folder
  bool naive = false;    // the generated naive candidate instead
  bool untimed = false;  // validate only
  bool quick = false;    // a glance at the timed sizes and, unless untimed, a few pairs against the best checkpoint
  // Rows that validation is limited to (inputs/catalogue.h); then nothing is timed. Empty: all.
  std::string values, size_kind;
  std::string sweep; // further sizes to be timed at, as parse_sweep() reads them
};

struct CandidateRun {
  std::string kernel, backend;
  std::string accuracy; // how outputs are compared: "elementwise"
  std::optional<record::Record> record;
  // In place of a record: why the folder is no candidate. An answer too: agents send anything.
  std::optional<Error> refused;
  record::Tier tier = record::Tier::a; // of a refused one: that of the backend
  std::optional<Sweep> sweep;          // against the best checkpoint, or the start where there is none
  std::string against;                 // with `quick`: the checkpoint that it was compared with; empty: there is none
};

// "correct; 1.4x slower than the best" of a quick run.
std::string quick_text(const CandidateRun& run);
// The seed of the validation; empty where none ran. `--seed` takes it.
std::string seed_of(const record::Verdict& verdict);

Result<CandidateRun> run_candidate(Context& context, const CandidateRequest& request);
// Sizes at which a wrong candidate shows in milliseconds: small, unlike each other, of no round number. Nothing where
// candidates have to be right on the timed sizes only, or no such sizes meet the kernel's conditions.
std::optional<kernel::Sizes> glance_sizes(const kernel::Kernel& kernel);
Json to_json(const CandidateRun& run);

} // namespace hone::app
