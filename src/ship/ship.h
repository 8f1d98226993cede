// A candidate taken home: a folder with a plain function in C or C++ that builds, checks and times itself without Hone.
// Candidates of the CPU backend only. What is written is text; nothing is compiled or run here.
#pragma once

#include "kernel/kernel.h"
#include "util/result.h"
#include "util/stats.h"

#include <map>
#include <string>

namespace hone::ship {

enum class StandaloneLanguage { c, cpp };

// What the record says about the candidate, for people. Times in seconds per call, 0 where there are none.
struct StandaloneRecord {
  std::string origin;             // "checkpoint 0849db7312 (vectorize) of ..."
  double cold_s = 0;              // operands in memory
  double hot_s = 0;               // operands in the caches
  Interval cold_range, hot_range; // 95 % intervals, seconds
  int threads = 1;                // of the measurement; what is written runs on one unless it is compiled for more
  std::string device;             // "" where it is not known
  std::string compiler;
  std::string time_utc;
};

struct StandaloneRequest {
  const kernel::Kernel& kernel;
  const kernel::Candidate& candidate;
  kernel::TuningPoint point; // what it leaves out has its default
  kernel::Sizes sizes;       // of the measurement; with `also = "timed"` the only ones
  StandaloneLanguage language = StandaloneLanguage::c;
  kernel::PlanScope device_facts; // what names like device.l2 in the plan stand for
  std::string isa;                // "avx512", "avx2" or "x86-64": what it was compiled for
  StandaloneRecord record;        // about these sizes
};

// The folder's files by name. The error says what stands in the way, with its place in the candidate, and the way out:
// C++ that is no C, a plan that cannot be resolved, a kernel whose reference is not an expression.
Result<std::map<std::string, std::string>> standalone_files(const StandaloneRequest& request);

// The function's name in C: the kernel's with underscores, and one more where C has that name already.
std::string standalone_name(const kernel::Kernel& kernel);

} // namespace hone::ship
