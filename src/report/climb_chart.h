// The climb as inline SVG: every tried step a point with its interval, the accepted path a stepped line, the best
// library and the ceiling as horizontal lines. (internal to the report room)
#pragma once

#include "report/climb_summary.h"

#include <string>

namespace hone::report {

struct ChartSize {
  double width = 0;
  double height = 0;
};

// Empty when no step has a time.
std::string climb_chart(const ReportInput& input, const ClimbSummary& summary, ChartSize size);

} // namespace hone::report
