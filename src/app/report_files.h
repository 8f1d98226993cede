// Gathers what a report needs from a workflow.
#pragma once

#include "app/workbench.h"
#include "report/report.h"

#include <optional>

namespace hone::app {

// `floor_s`: seconds below which no candidate can be; left out: by this device's ceilings as they were last measured, 0
// where they were not.
Result<report::ReportInput> gather_report(const Workbench& bench, const store::Workflow& workflow,
                                          std::optional<double> floor_s = std::nullopt);
// The best against a library or plain loops, not a step of the climb.
bool is_baseline(const store::Step& step);
// Baselines as the workflow's journal last saw them beside the best checkpoint.
std::vector<report::BaselineFigure> baseline_figures(const std::vector<store::Step>& steps,
                                                     const std::string& best_candidate);
// Writes the HTML page and returns its path.
Result<fs::path> write_html_report(const Workbench& bench, const store::Workflow& workflow, double floor_s,
                                   fs::path path);

} // namespace hone::app
