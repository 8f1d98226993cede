// How figures and verdicts are written for people, the same wherever they are shown.
#pragma once

#include "record/record.h"

#include <optional>
#include <string>
#include <string_view>

namespace hone::app {

std::string ratio_text(double ratio); // "3.42x"
// "3.42x [3.40, 3.44]"; where the interval is wider than 10 % on either side, "at least 3.10x", "at most 0.900x", or
// "about 1.05x (uncertain)".
std::string ratio_text(double ratio, const Interval& ci95);
// The same in a table's column: "3.42x", ">=3.10x", "<=0.900x", "~1.05x".
std::string short_ratio_text(double ratio, const Interval& ci95);
std::string time_text(const std::optional<record::TimeEstimate>& time); // "1.23 ms", "-"
std::string threads_text(int threads);                                  // "one thread", "2 threads"
// "weights laid out ahead in 120 us, not in these times"
std::string preparation_text(const std::string& whose, const record::TimeEstimate& time);
std::string short_id(const std::string& id); // first 10 digits
std::string when_text(const std::string& time_utc);
// "recorded on a busy machine (others took 23 % of the CPU time): take its times with care"; empty: it was not busy.
std::string busy_text(const record::Record& record, std::string_view what_was_done);
// "correct, FAST 3.42x" or "compile: device.cpp:3:1: ...".
std::string verdict_text(const record::Verdict& verdict);

} // namespace hone::app
