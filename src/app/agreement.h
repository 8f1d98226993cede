// Whether a comparison that is measured again says what it said before: by intervals, since a word may change where the
// ratio hardly does (FAST 1.073x, then AMBG 1.074x). (internal)
#pragma once

#include "record/record.h"

namespace hone::app {

// Beyond the intervals, which are of one session: clocks and memory differ between sessions by so much.
constexpr double k_between_sessions = 0.03;

// The intervals meet.
bool agrees(const record::ComparisonResult& then, const record::ComparisonResult& now);
// The candidate is at least as much faster as was claimed; it may be more.
bool holds(const record::ComparisonResult& then, const record::ComparisonResult& now);

} // namespace hone::app
