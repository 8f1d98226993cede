// The sums, products and extremes of a value. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <vector>

namespace hone::lower::device {

// Those that stand in no other one, each text once.
std::vector<const kernel::Expr*> outermost_reductions(const kernel::Expr& value);
// The loads of a reduction's terms, those inside of another reduction left out; each once, and none inside another's
// subscripts.
std::vector<kernel::ExprPtr> loads_of(const kernel::Expr& reduce);

} // namespace hone::lower::device
