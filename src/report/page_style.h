// How HTML pages look, and what they may do. (internal to the report room)
#pragma once

#include <string>
#include <string_view>

namespace hone::report {

// <head>, with the style sheet. The page needs nothing but its own style: whatever a candidate smuggled into a log or a
// name, no script runs and nothing is fetched.
std::string page_head(std::string_view title);

} // namespace hone::report
