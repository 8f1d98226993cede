// Checks of work-groups that other validators make, too. (internal to the gate)
#pragma once

#include "gate/validate/validation.h"

namespace hone::gate {

// Where groups of a launch meet (at the end of a row of them, of a plane), the two sides must not write the same
// element.
Result<SessionResult<void>> compare_sides(Validation& validation, Harness& harness);
// Whether a launch declares a buffer that its groups reduce into.
bool reduces(const kernel::ResolvedPlan& plan);
// The last group first must give the same result; where groups reduce, a right one.
Result<SessionResult<void>> compare_orders(Validation& validation, Harness& harness, inputs::ValueFamily family);

} // namespace hone::gate
