// Commands in the jail, in a folder that outlives them: for whole programs, which are built in one folder and run in
// another (docs/programs.md). Nothing here is evidence for a verdict about a kernel.
#pragma once

#include "util/fs.h"
#include "util/process.h"
#include "util/result.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::gate {

struct FolderCommand {
  fs::path folder;                // the working folder: read and written, and nothing in it is executed
  std::vector<fs::path> readable; // folders to read and to execute from, besides the system's
  std::vector<std::string> command;
  std::string input; // bytes for standard input
  std::chrono::milliseconds deadline{60'000};
  int cpu_seconds = 120;
  std::int64_t address_space = std::int64_t{6} << 30; // bytes
  std::int64_t file_size = std::int64_t{256} << 20;   // of each file that it writes
  std::size_t output_cap = std::size_t{16} << 20;     // bytes kept of stdout and of stderr, each
  std::stop_token stop;
};

// The folder and all in it become the jail's user's, where that is another one than ours.
Result<void> hand_to_jail(const fs::path& folder);

// A program that fails is an outcome. The error: the jail does not hold here, or there is no such program.
Result<ProcessOutcome> run_in_folder(const FolderCommand& command);

} // namespace hone::gate
