// What performance tools need of the gate: a candidate built as it is timed, the memory of one call, and a tool's
// program run in the jail. Nothing here is evidence for a verdict.
#pragma once

#include "backend/backend.h"
#include "record/verdict.h"
#include "util/result.h"

#include <cstddef>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::gate {

// A candidate's mistake is a status, not an Error.
struct BuiltCandidate {
  record::Status status = record::Status::correct; // correct: the rest is there; else constraints, compile or rejected
  std::string reason;
  std::string log; // compiler messages, with places in the candidate's files
  kernel::Sizes sizes;
  kernel::ResolvedPlan plan;
  backend::Module module;
};

// What lies in memory before a call: inputs of normal values, and what [[prepare]] made of the weights.
struct CallMemory {
  std::vector<std::string> arguments; // bytes of each kernel argument
  std::vector<std::string> scratch;   // of each scratch buffer of the plan; empty for those that launches write
};

struct ToolRun {
  bool finished = false;                      // all commands succeeded
  std::string reason;                         // else why not: "llvm-mca-19 ended with status 1"
  std::string log;                            // what the commands printed, capped
  std::map<std::string, std::string> outputs; // name -> bytes
};

// Carries the commands out in the jail.
Result<ToolRun> run_tool(const backend::CompileJob& job, std::stop_token stop = {});

} // namespace hone::gate
