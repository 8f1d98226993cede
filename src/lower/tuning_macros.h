// Tuning parameters in macros.h: what the code knows them by, with their defaults and what they mean.
#pragma once

#include "lower/loop_program.h"
#include "lower/schedule.h"

namespace hone::lower {

// Empty where the schedule has none.
ProgramBlock tuning_macros(const Schedule& schedule);

} // namespace hone::lower
