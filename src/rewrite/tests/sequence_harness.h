// Compiles many generated candidates in one go and runs them against the kernels' references.
#pragma once

#include "kernel/kernel.h"
#include "rewrite/builtin/rewrites.h"
#include "util/util.h"

#include <string>
#include <vector>

namespace hone::rewrite {

// One candidate at one tuning point, and how it came about.
struct SequenceCase {
  const kernel::Kernel* kernel = nullptr;
  std::vector<std::string> steps;
  kernel::Candidate candidate;
  kernel::TuningPoint point;

  std::string label() const; // "matmul: reorder-loops vectorize | VECTORS=2"
};

// What plans may ask of the machine that the cases run on.
kernel::PlanScope harness_device_facts();

// A random legal sequence of at most `longest` steps from the naive schedule, at a random legal tuning point. Steps
// that are refused are passed over.
Result<SequenceCase> random_case(const kernel::Kernel& kernel, const lower::Dialect& dialect, std::size_t longest,
                                 Random& random);
Result<SequenceCase> make_case(const kernel::Kernel& kernel, const lower::Dialect& dialect,
                               const std::vector<std::string>& steps, Random& random);

// Compiles all cases into one library and runs each on each size; returns what went wrong, one line each.
struct SequenceRun {
  std::vector<std::string> flags;                 // of the compiler, such as -march=native
  std::vector<std::vector<std::int64_t>> extents; // values for the size symbols in order, repeated as needed
  std::uint64_t seed = 1;
};
Result<std::vector<std::string>> run_cases(const std::vector<SequenceCase>& cases, const SequenceRun& run);
// The same for this machine's instructions, as one text: "" where all results are right.
std::string wrong_results(const std::vector<SequenceCase>& cases,
                          const std::vector<std::vector<std::int64_t>>& extents);

} // namespace hone::rewrite
