// The same thing several times, and how it went: steps that a model carries out, climbs, tuning sessions.
#pragma once

#include "app/workbench.h"
#include "policy/spread.h"
#include "policy/success.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace hone::app {

struct StudyRequest {
  KernelRequest kernel;
  std::string checkpoint = "best";      // of tuning: whose parameters
  std::vector<std::string> steps;       // of success: only these
  std::vector<int> budgets{15, 30, 60}; // of tuning: seconds of a session
  int runs = 5;                         // attempts at a step, climbs, sessions of each budget
  bool no_timing = false;               // of success: only whether attempts are right
  std::string csv, html;                // files; empty: none
};

struct SuccessStudy {
  std::string kernel, backend, model;
  std::vector<policy::StepSuccess> steps;
  std::vector<policy::StepSample> samples;
  std::string note; // why it ended early; empty: it did not
  report::StudyPage page;
  std::optional<Error> not_written; // a file that was asked for; what was paid for is told first
};

struct RunStudy {
  std::string kernel, backend;
  std::vector<policy::StudiedRun> runs;
  report::StudyPage page;
  std::optional<Error> not_written; // the page that was asked for
};

Result<SuccessStudy> study_steps(Context& context, const StudyRequest& request);
Result<RunStudy> study_climbs(Context& context, const StudyRequest& request);
Result<RunStudy> study_tuning(Context& context, const StudyRequest& request);

Json to_json(const SuccessStudy& study);
Json to_json(const RunStudy& study);

} // namespace hone::app
