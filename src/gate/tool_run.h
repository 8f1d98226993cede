// What performance tools need of the gate: a candidate built as it is timed, the memory of one call, and a tool's
// program run in the jail. Nothing here is evidence for a verdict.
#pragma once

#include "backend/backend.h"
#include "record/verdict.h"
#include "util/result.h"

#include <cstddef>
#include <cstdint>
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

// What the operating system's performance counters saw of repeated calls on the same data, user code of the runner
// and of this program's thread that waits for it. What this machine cannot count is left out.
struct EventCounts {
  struct Event {
    std::string name; // as `perf list` has it: "branch-misses"
    double per_call = 0;
    double counted = 1; // share of the time in which it had a counter; below 1 the count is scaled
  };
  std::vector<Event> events;
  std::vector<std::string> refused; // names of events that cannot be counted here
  std::string reason;               // why not, with the way out; empty where all are counted
  std::uint32_t calls = 0;          // that were counted
  double seconds_per_call = 0;      // by the wall clock, the runner's answer included
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
