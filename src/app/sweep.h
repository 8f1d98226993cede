// Two contenders side by side at many sizes: where one gains and where it loses.
#pragma once

#include "app/workbench.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct SweepRow {
  kernel::Sizes sizes;
  std::optional<record::ComparisonResult> comparison;
  std::string problem; // why there is none
};

struct Sweep {
  std::string ours, theirs; // what they are called
  std::vector<SweepRow> rows;
  bool stopped = false; // before the last row
  bool correct = true;  // at all sizes
};

// "n=2^10..2^20" (each twice the one before), "n=100..1000:100" (steps of 100), "m=n=64..512,k=256". Ranges of several
// sizes are all combined; what is not named stays as in `others`. The error names --sizes.
Result<std::vector<kernel::Sizes>> parse_sweep(const kernel::Kernel& kernel, const kernel::Sizes& others,
                                               const std::string& text);

// At each size one call of ours is checked on plain values, and then both are timed. The contenders were judged in full
// before, elsewhere.
struct SweepRequest {
  record::Contender ours, theirs;
  std::string ours_name, theirs_name;
  std::vector<kernel::Sizes> sizes;
};
Result<Sweep> sweep_sizes(Context& context, const Workbench& bench, execute::Executor& executor,
                          const SweepRequest& request);

// The size at which ours gains least; null where nothing was compared.
const SweepRow* worst_row(const Sweep& sweep);
double mean_ratio(const Sweep& sweep); // geometric; 1 where nothing was compared

// Rows of cells: sizes, ratio, verdict, times; the first row is a head.
std::vector<std::vector<std::string>> sweep_table(const Sweep& sweep);
// "geometric mean 1.204x; least at n=1024: 0.981x".
std::string sweep_summary(const Sweep& sweep);
// The same of a comparison at the kernel's own timed sizes; empty where there is one size.
std::vector<std::vector<std::string>> by_size_table(const record::ComparisonResult& comparison);
std::string worst_size_text(const record::ComparisonResult& comparison);

Json to_json(const Sweep& sweep);

} // namespace hone::app
