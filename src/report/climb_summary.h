// Summary of the records of one optimisation: the path, the headline, the outcome of every step. All four report
// formats are written from it. (internal to the report room)
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::report {

enum class StepOutcome {
  path,        // a checkpoint on the way from the start to the best
  branch,      // a checkpoint beside that way
  remeasured,  // a checkpoint's candidate measured again
  passed_over, // correct, but not taken
  failed,      // a status other than correct
};

std::string_view name_of(StepOutcome outcome); // as readers see it: "on the path", ...

// One tried step. Pointers lead into the ReportInput.
struct StepSummary {
  const store::Step* step = nullptr;
  StepOutcome outcome = StepOutcome::failed;
  const record::TimeEstimate* time = nullptr;           // in the deciding regime; null when not timed
  const record::ComparisonResult* comparison = nullptr; // in the deciding regime
};

struct Headline {
  double ratio = 1; // start's time / best's time
  Interval ci95{1, 1};
  std::string source{};                               // "measured against the start" or "product of 6 comparisons"
  const record::ComparisonResult* measured = nullptr; // against the start; null where it is a product
};

struct ClimbSummary {
  std::vector<StepSummary> steps;             // oldest first, without the baselines' own records
  std::vector<const store::Checkpoint*> path; // start to best
  const store::Checkpoint* start = nullptr;   // null when the workflow is empty
  const store::Checkpoint* best = nullptr;
  const record::TimeEstimate* start_time = nullptr; // in the deciding regime
  const record::TimeEstimate* best_time = nullptr;  // the newest measurement of the best candidate
  Headline headline;
  const BaselineFigure* best_baseline = nullptr; // the strongest one
};

// The summary points into `input`, which must outlive it.
ClimbSummary summarize(const ReportInput& input);

const record::TimeEstimate* deciding_time(const record::Record& record, record::Regime regime);
const record::ComparisonResult* deciding_comparison(const record::Record& record, record::Regime regime);
std::string step_name(const record::Record& record); // the transformation, or "start"

// A time as the share of the ceiling and as GFLOP/s; nothing when the ceiling or the work is unknown.
std::optional<double> ceiling_fraction(const ReportInput& input, double seconds);
std::optional<double> gflops(const ReportInput& input, double seconds);

} // namespace hone::report
