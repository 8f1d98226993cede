// What a study found: as a page, whose table a terminal shows, as JSON and as comma-separated values. (internal to the
// app)
#pragma once

#include "app/study.h"

#include <string>
#include <vector>

namespace hone::app {

StudyPage page_of(const Context& context, const Workbench& bench, const std::vector<StepSuccess>& all);
// `runs_are`: "climbs".
StudyPage page_of(const Context& context, const Workbench& bench, const std::string& runs_are,
                  const std::vector<StudiedRun>& runs);

Json to_json(const StepSuccess& success);
Json to_json(const StudiedRun& run);

// A line for every attempt, or every run, below the names of the columns.
std::string csv_of_attempts();
std::string csv_line_of(const Context& context, const Workbench& bench, const StepSample& sample);
std::string csv_of_runs();
std::string csv_line_of(const Workbench& bench, const StudiedRun& run);

} // namespace hone::app
