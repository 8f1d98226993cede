// How numbers and verdicts are written for people, the same in every command. (internal to the cli)
#pragma once

#include "cli/terminal.h"
#include "execute/execute.h"

#include <string>

namespace hone::cli {

std::string ratio_text(double ratio);                           // "3.42x"
std::string ratio_text(double ratio, const Interval& ci95);     // "3.42x [3.40, 3.44]"
std::string time_text(const std::optional<TimeEstimate>& time); // "1.23 ms", "-"
std::string threads_text(int threads);                          // "one thread", "2 threads"
// "weights laid out ahead in 120 us, not in these times"
std::string preparation_text(const std::string& whose, const TimeEstimate& time);
std::string short_id(const std::string& id); // first 10 digits
std::string when_text(const std::string& time_utc);
Tone tone_of(Status status);
// "correct, FAST 3.42x" or "compile: device.cpp:3:1: ...".
std::string verdict_text(const Verdict& verdict);
// Multi-line evidence of one verdict: checks, errors, log.
std::string evidence_text(const Terminal& terminal, const Verdict& verdict);

// Microseconds and the like, as JSON numbers in seconds.
Json time_json(const std::optional<TimeEstimate>& time);
Json interval_json(const Interval& interval);
Json point_json(const TuningPoint& point);
Json mistake_json(const Error& mistake);

} // namespace hone::cli
