// What a study found: as a page, whose table a terminal shows, as JSON and as comma-separated values. (internal to the
// app)
#pragma once

#include "app/study.h"

#include <string>
#include <vector>

namespace hone::app {

report::StudyPage page_of(const Context& context, const Workbench& bench, const std::vector<policy::StepSuccess>& all);
// `runs_are`: "climbs".
report::StudyPage page_of(const Context& context, const Workbench& bench, const std::string& runs_are,
                          const std::vector<policy::StudiedRun>& runs);

Json to_json(const policy::StepSuccess& success);
Json to_json(const policy::StudiedRun& run);

// A line for every attempt, or every run, below the names of the columns.
std::string csv_of_attempts();
std::string csv_line_of(const Context& context, const Workbench& bench, const policy::StepSample& sample);
std::string csv_of_runs();
std::string csv_line_of(const Workbench& bench, const policy::StudiedRun& run);

} // namespace hone::app
