// A climb: from the naive candidate, or from a checkpoint, to the fastest one that can be found, and its report.
#pragma once

#include "app/library_names.h"
#include "app/sweep.h"
#include "app/workbench.h"
#include "policy/baselines.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::app {

// Shorter budgets have no time for comparisons with libraries.
constexpr int k_shortest_with_libraries_s = 30;

struct ClimbRequest {
  KernelRequest kernel;
  std::string steps;  // a recipe file for the sequence policy
  std::string from;   // checkpoint to go on from
  std::string branch; // name to go on from, which moves along; a new one begins at `from`
  bool no_baselines = false;
  std::string sweep;        // sizes at which the best is compared with the start at the end; see parse_sweep()
  int wait_for_quiet_s = 0; // at most, before the first job; 0: not at all
};

struct ClimbResult {
  // What was climbed, and on what.
  std::string kernel, backend, device;
  fs::path kernel_folder;
  record::Recipe recipe;
  std::string accuracy; // how outputs are compared: "elementwise"
  ClimbScale scale;
  fs::path workflow; // its folder
  // What came of it.
  store::Checkpoint start, best;
  std::optional<record::Record> final_record; // best against start, in fresh processes
  std::optional<record::Record> band_record;  // best against a copy of itself
  std::vector<policy::BaselineResult> baselines;
  std::optional<Sweep> sweep;          // best against start
  LibraryVersions library_versions;    // where they could be told
  std::vector<std::string> left_out;   // libraries that were not compared with: no time, or a failure
  std::vector<store::Step> steps;      // all of the workflow
  std::map<std::string, double> spent; // seconds by phase, all runs of the workflow
  fs::path report;                     // the HTML page
  std::string branch;
  bool stopped = false; // before its end
  std::string note;
};

Result<ClimbResult> climb(Context& context, const ClimbRequest& request);
// Goes on with the climb that the kernel's workflow remembers. What `request` and flags in the settings say holds
// before what is remembered, except for where the climb begins.
Result<ClimbResult> resume_climb(Context& context, const ClimbRequest& request);

// The best's verdict with the times of both regimes: a start of seconds is compared in one regime only.
record::Verdict best_verdict(const ClimbResult& result);
// The comparison of a record in the deciding regime; null where there is none.
const record::ComparisonResult* deciding_comparison(const std::optional<record::Record>& record);
std::optional<record::TimeEstimate> deciding_time(const record::Verdict& verdict, record::Regime regime);

Json to_json(const ClimbResult& result);

} // namespace hone::app
