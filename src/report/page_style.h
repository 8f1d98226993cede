// The style sheet of the HTML report. (internal to the report room)
#pragma once

#include <string_view>

namespace hone {

std::string_view page_style();

} // namespace hone
