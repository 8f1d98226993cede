// Gathers what a report needs from a workflow. (internal to the cli)
#pragma once

#include "cli/workbench.h"
#include "policy/policy.h"
#include "report/report.h"

namespace hone::cli {

// Seconds below which no candidate can be, by this device's measured ceilings; 0 where they were not measured yet.
double floor_if_known(const Workbench& bench, const Recipe& recipe);
Result<ReportInput> gather_report(const Workbench& bench, const Workflow& workflow, double floor_s);
// The best against a library or plain loops, not a step of the climb.
bool is_baseline(const Step& step);
// Baselines as the workflow's journal last saw them beside the best checkpoint.
std::vector<BaselineFigure> baseline_figures(const std::vector<Step>& steps, const std::string& best_candidate);
// Writes the HTML page and returns its path.
Result<fs::path> write_html_report(const Workbench& bench, const Workflow& workflow, double floor_s, fs::path path);

} // namespace hone::cli
