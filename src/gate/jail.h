// Runs the commands of a CompileJob where they can do no harm: Landlock, seccomp, rlimits, another uid when we are
// root, bubblewrap and namespaces besides where they work. Bytes in, bytes out. (internal to the gate)
#pragma once

#include "backend/backend.h"
#include "record/verdict.h"
#include "util/result.h"

#include <chrono>
#include <map>
#include <stop_token>
#include <string>

namespace hone::gate {

struct JailLimits {
  std::chrono::milliseconds wall{90'000};
  int cpu_seconds = 20;
  std::int64_t address_space = std::int64_t{6} << 30; // bytes
  std::int64_t file_size = std::int64_t{256} << 20;
  std::size_t log_cap = 16 << 10;
  std::stop_token stop; // asked for that, it ends as if it had broken one
};

struct JailOutcome {
  record::Status status =
    record::Status::correct;                  // correct: all commands succeeded; compile: one failed or broke a limit
  std::string reason;                         // "g++ ran longer than 20 s of CPU time"
  bool broke_limit = false;                   // of time, memory or a file's size: it may be fine elsewhere
  std::string log;                            // capped, our paths scrubbed
  std::map<std::string, std::string> outputs; // name -> bytes
  double seconds = 0;
};

Result<JailOutcome> run_in_jail(const backend::CompileJob& job, const JailLimits& limits);

// The same with layers of the caller's choice, for tests of what holds where others are missing.
struct Isolation;
Result<JailOutcome> run_in_jail(const backend::CompileJob& job, const JailLimits& limits, const Isolation& layers);

} // namespace hone::gate
