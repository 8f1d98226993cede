// What `hone study` found, as a page; its table is what the terminal shows.
#pragma once

#include "cli/workbench.h"
#include "report/report.h"
#include "study/study.h"

#include <string>
#include <vector>

namespace hone::cli {

StudyPage page_of(const Context& context, const Workbench& bench, const std::vector<StepSuccess>& all);
// `runs_are`: "climbs".
StudyPage page_of(const Context& context, const Workbench& bench, const std::string& runs_are,
                  const std::vector<StudiedRun>& runs);

} // namespace hone::cli
