// Strategies side by side on stored spaces, at equal budgets.
#pragma once

#include "util/fs.h"
#include "util/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct CompareOptions {
  std::vector<fs::path> spaces;
  std::vector<std::string> strategies;          // empty: all but exhaustive
  std::vector<double> shares{0.01, 0.02, 0.05}; // of what exhausting the space took
  int seeds = 10;
  bool blind = false;           // begin at a drawn point; else at the incumbent, as a tuning session does
  std::string format = "table"; // or csv, json
};

// Prints one line per space, strategy and budget: how far from the best the chosen point is, over the seeds.
Result<void> compare_strategies(const CompareOptions& options);

} // namespace hone
