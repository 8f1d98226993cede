// Runs a program to its end: input in, capped output back, a deadline for the whole process group, which can also be
// ended before.
#pragma once

#include "util/result.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace hone {

struct ProcessRequest {
  std::vector<std::string> argv;                       // argv[0] is looked up in PATH unless it holds a slash
  std::optional<std::vector<std::string>> environment; // "NAME=value"; nothing: inherited
  std::filesystem::path folder;                        // working directory; empty: inherited
  std::string input;                                   // bytes for standard input
  std::chrono::milliseconds deadline{60'000};          // after it the whole process group is killed
  std::size_t output_cap = 1 << 20;                    // bytes kept of stdout and of stderr, each
  std::stop_token stop;                                // asked for that, the process group is killed, too
};

struct ProcessOutcome {
  int exit_status = -1; // exit code when it exited; -1 when it was killed
  int signal = 0;       // the signal that killed it, or 0
  bool timed_out = false;
  bool stopped = false;
  bool output_cut = false; // more was written than output_cap
  std::string out;
  std::string err;
  double seconds = 0; // wall time

  bool ok() const { return exit_status == 0 && !timed_out; }
};

// An error means that the program could not be started (named, with the package to install where known);
// a program that fails is an outcome.
Result<ProcessOutcome> run_process(const ProcessRequest& request);

} // namespace hone
