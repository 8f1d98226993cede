// macros.h of a scheduled contraction: tuning parameters with their defaults, and the names that the device code uses.
#pragma once

#include "lower/contraction_code.h"

namespace hone::lower {

ProgramBlock lower_macros(const ContractionCode& code);

} // namespace hone::lower
