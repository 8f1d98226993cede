// What bench_cpu asks of the program itself: a climb, its best checkpoint beside the libraries, the machine's ceiling.
#pragma once

#include "util/json.h"
#include "util/util.h"

#include <string>
#include <vector>

namespace hone {

struct HoneRun {
  fs::path folder; // of the kernel, with its workflows
  int threads = 1;
  std::string regime = "hot"; // decides
};

// `hone optimize` within a budget; its JSON. The error has what the program said.
Result<Json> climb(const HoneRun& run, int budget_s);

// One library in one setting beside the best checkpoint, in one regime. Ratios are the rival's time / ours: > 1 means
// that ours is faster.
struct RivalFigure {
  std::string rival;
  std::string regime;
  double ratio = 0;
  std::vector<double> pairs;
  double seconds = 0; // of a call of ours
};

// `hone compare best libraries`: every setting of every library there is, in both regimes, interleaved with ours.
Result<std::vector<RivalFigure>> compare_with_libraries(const HoneRun& run);

// GFLOP/s in `type` that this machine reaches right now, one thread.
Result<double> measured_ceiling(const std::string& type);

} // namespace hone
