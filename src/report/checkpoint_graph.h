// The checkpoints and their parents, drawn like a version history: rails as inline SVG, one line of text per
// checkpoint beside them. (internal to the report room)
#pragma once

#include "report/climb_summary.h"

#include <string>

namespace hone::report {

std::string checkpoint_graph(const ReportInput& input, const ClimbSummary& summary);

} // namespace hone::report
