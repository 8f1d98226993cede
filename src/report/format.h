// Numbers and text as readers see them, the same in every format. (internal to the report room)
#pragma once

#include "record/record.h"
#include "report/parts.h"
#include "util/stats.h"

#include <string>
#include <string_view>

namespace hone::report {

std::string number_text(double value); // three significant digits, no exponent: "1.87", "142", "0.0312"
std::string ratio_text(double ratio);  // "1.87x" with a multiplication sign
// "[1.853, 1.891]", with as many decimals as tell the ends apart; "no interval" after too few samples.
std::string ratio_interval_text(const Interval& interval, double ratio);
std::string time_interval_text(const Interval& interval);
std::string percent_text(double fraction); // 0.873 -> "87.3 %"
std::string short_id(std::string_view id); // first 10 digits

} // namespace hone::report
