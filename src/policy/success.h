// Success rates of steps: each step is attempted several times, independently and from the same candidate, and judged
// by the gate in full.
#pragma once

#include "policy/policy.h"
#include "rewrite/model_engine.h"
#include "util/stats.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hone::policy {

// One attempt at one step.
struct StepSample {
  std::string step;
  int sample = 0;
  int answers = 0;         // repairs included
  std::string first_fault; // how the first answer failed: name_of(AnswerFault); "" where it did not
  std::string fault;       // why the attempt failed: the fault of its last answer, or the gate's status; "" if it
  std::string report;      //   passed, and the first line of the report
  bool right = false;      // passed the gate in full
  record::Comparison comparison = record::Comparison::ambiguous; // of a right one, with where it came from
  double ratio = 0;                                              // > 1: faster; 0: not timed
  std::int64_t tokens = 0;                                       // of requests and answers
  double seconds = 0;                                            // that answering took
};
Json to_json(const StepSample& sample);
Result<StepSample> step_sample_from(const Json& json);

struct StepSuccess {
  std::string step; // "" for all of them
  int n = 0, first_try = 0, right = 0, faster = 0, slower = 0;
  Interval first_try_ci95, right_ci95;      // shares, Wilson's score interval
  std::map<std::string, int> faults;        // of first answers, by name
  double median_ratio = 0;                  // of the right ones that were timed; 0: none
  double tokens_each = 0, seconds_each = 0; // means per attempt
};

// One per step in the order they come, and last all of them together where there are several.
std::vector<StepSuccess> success_rates(const std::vector<StepSample>& samples);

// The chance that at least one of k attempts is right, from n of which `right` were: 1 - C(n - right, k) / C(n, k).
// 0 where k > n. Source: Chen et al., "Evaluating large language models trained on code", 2021.
double pass_at(int n, int right, int k);
// Wilson's score interval of a share, 95 %.
Interval wilson_interval(int successes, int n);

struct SuccessPlan {
  PolicyContext& context;
  std::vector<std::string> steps; // empty: those that the kernel's step list carries out
  std::string who;                // is asked, and how: attempts of others are others
  int samples = 5;                // attempts at each step
  bool timed = true;
  // An engine that gives the attempt of this number.
  std::function<Result<std::unique_ptr<rewrite::Engine>>(int sample, rewrite::ModelEngineObserver)> engine;
  std::function<void(const StepSample&)> observe; // each attempt once it is done
};

// A step that stands in the kernel's list is asked for on what the built-in engine made of the steps before it, any
// other one on plain loops. Attempts that this workflow holds are not made again. Ends early, with what there is, when
// asked to stop or when the engine can do no more; then `note` says why.
struct SuccessOutcome {
  std::vector<StepSample> samples;
  std::string note;
};
Result<SuccessOutcome> study_success(const SuccessPlan& plan);

} // namespace hone::policy
