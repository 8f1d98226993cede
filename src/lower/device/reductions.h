// The sums, products and extremes of a value. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace hone::lower::device {

// The outermost ones, each once.
std::vector<const kernel::Expr*> reductions_of(const kernel::Expr& value);
// The loads of a reduction's terms, those inside of another reduction left out; each once, and none inside another's
// subscripts.
std::vector<kernel::ExprPtr> loads_of(const kernel::Expr& reduce);
// What a variable that holds it is called.
std::string sum_name(kernel::ReduceOp op);

} // namespace hone::lower::device
