// Parts that the JSON of several results has in common (docs/json.md).
#pragma once

#include "record/record.h"
#include "util/json.h"

#include <optional>

namespace hone::app {

Json time_json(const std::optional<record::TimeEstimate>& time); // seconds; null: not measured
Json interval_json(const Interval& interval);
Json point_json(const kernel::TuningPoint& point);
Json mistake_json(const Error& mistake);

} // namespace hone::app
