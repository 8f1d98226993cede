// Sizes that a plan need not go at. (internal to the gate)
#pragma once

#include "gate/validate/validation.h"

#include <string>

namespace hone::gate {

// Far beyond the timed sizes a plan may need more memory than there is, which it says before anything runs. "" where it
// fits, and where it must.
Result<std::string> why_it_does_not_fit(Validation& validation, const kernel::Sizes& sizes);

} // namespace hone::gate
