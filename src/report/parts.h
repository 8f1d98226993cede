// Parts of the report's page, for a page that shows a run while it goes on.
#pragma once

#include "report/report.h"

#include <string>
#include <string_view>

namespace hone::report {

std::string_view style_sheet(); // CSS of all pages
// What the report shows between its head and its footer. Everything from outside is escaped.
std::string report_content(const ReportInput& input);
// Text from anywhere, safe between tags and inside double-quoted attributes. Control characters become U+FFFD.
std::string escape_html(std::string_view text);

// A run in a line.
struct RunFigures {
  std::string gain;      // "12.3x": of the best over the start
  bool measured = false; // against the start; else a product of the steps' ratios
  int tried = 0, failed = 0;
};
RunFigures run_figures(const ReportInput& input);

} // namespace hone::report
