// llvm-mca, run in the jail on the text of a loop. (internal)
#pragma once

#include "util/result.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::tools {

struct McaResult {
  std::string cpu;              // that was modelled
  double cycles = 0;            // of a round, dependencies and all
  double throughput_cycles = 0; // of a round where nothing waits for results
  double ipc = 0;
  std::vector<std::pair<std::string, double>> ports; // cycles of a round that each is busy, busiest first
  std::vector<std::string> critical;                 // instructions of the longest chain, in order
};

// Cycles over those that the ports need, from which on a chain of dependencies bounds a loop.
inline constexpr double k_chain_bound = 1.25;

// The newest one that is installed: "/usr/bin/llvm-mca-19".
std::optional<std::string> find_mca();
// `loop`: instructions in AT&T syntax. The error names instructions that the model does not know.
Result<McaResult> run_mca(const std::string& loop, const std::string& cpu, std::stop_token stop);
// Reads what llvm-mca prints. (for tests)
Result<McaResult> parse_mca(std::string_view text, int rounds);

} // namespace hone::tools
