// One candidate through the gate: build, validate, time.
#pragma once

#include "app/workbench.h"

#include <optional>
#include <string>

namespace hone::app {

struct CandidateRequest {
  KernelRequest kernel;
  std::string candidate; // folder
  bool naive = false;    // the generated naive candidate instead
  bool untimed = false;  // validate only
  // Rows that validation is limited to (inputs/catalogue.h); then nothing is timed. Empty: all.
  std::string values, size_kind;
};

struct CandidateRun {
  std::string kernel, backend;
  std::optional<record::Record> record;
  // In place of a record: why the folder is no candidate. An answer too: agents send anything.
  std::optional<Error> refused;
  record::Tier tier = record::Tier::a; // of a refused one: that of the backend
};

Result<CandidateRun> run_candidate(Context& context, const CandidateRequest& request);
Json to_json(const CandidateRun& run);

} // namespace hone::app
