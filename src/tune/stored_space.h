// A tuning space with its measurements: a strategy can be simulated on it. Kept in files of Kernel
// Tuner's cache format ("tune/cache_file.h").
#pragma once

#include "kernel/candidate.h"
#include "record/verdict.h"
#include "util/json.h"

#include <map>
#include <string>
#include <vector>

namespace hone::tune {

// Everything that was measured of one point. Times in seconds.
struct StoredTrial {
  kernel::TuningPoint point;
  record::Status status = record::Status::correct;
  std::vector<double> ratios; // per pair of runners: incumbent's time / this point's time; empty unless correct
  double call_s = 0;          // one call, as measured beside the incumbent
  double build_s = 0, validate_s = 0, measure_s = 0; // what the trial took
  std::string time_utc;

  double ratio() const; // geometric mean over the pairs; 0 without any
};

struct StoredSpace {
  std::string kernel;      // name
  std::string kernel_hash; // of kernel.toml
  std::string candidate;   // content hash
  std::string environment; // hash of device, compiler, flags
  std::string device;      // name
  std::map<std::string, std::string> device_facts;
  kernel::PlanScope plan_facts; // as plans and cost models see them: device.l1, ...
  record::Recipe recipe;
  std::vector<kernel::TuningParameter> parameters;
  std::vector<std::string> constraints;
  kernel::TuningPoint incumbent;   // what ratios are measured against
  double incumbent_s = 0;          // its time of a call, over all trials
  std::vector<StoredTrial> trials; // one per point, in the order tried
  std::vector<StoredTrial> best;   // the fastest points, measured again and interleaved: best known ratios

  double seconds() const;            // of all trials: what exhausting the space took
  kernel::TuningSpace space() const; // parameters alone: which points are legal, the trials say
};

// The trial of a point is one even when it was measured again: pairs and seconds are added.
void add_trial(StoredSpace& space, StoredTrial trial);

} // namespace hone::tune
