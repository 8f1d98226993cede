// The larger parts of the HTML report, one function each. Everything from outside is escaped here. (internal to the
// report room)
#pragma once

#include "report/climb_summary.h"

#include <string>

namespace hone::report {

std::string page_masthead(const ReportInput& input, const ClimbSummary& summary); // kernel, expression, device
std::string page_hero(const ReportInput& input, const ClimbSummary& summary);     // headline number, bars, key figures
std::string page_climb(const ReportInput& input, const ClimbSummary& summary);
std::string page_roofline(const ReportInput& input, const ClimbSummary& summary); // empty where it is not known
std::string page_tuning(const ReportInput& input);                                // empty where nothing was tuned
std::string page_steps(const ReportInput& input, const ClimbSummary& summary);    // all steps with their evidence
std::string page_changes(const ReportInput& input, const ClimbSummary& summary);  // one diff per checkpoint
std::string page_baselines(const ReportInput& input, const ClimbSummary& summary);
std::string page_conditions(const ReportInput& input); // environment, recipe, time spent
std::string page_words();
std::string page_reproduce(const ReportInput& input, const ClimbSummary& summary);

// "<span class="pill pill-FAST">FAST</span>"
std::string pill(std::string_view word);

} // namespace hone::report
