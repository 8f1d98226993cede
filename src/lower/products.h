// Programs of several statements whose products of tensors share one loop nest.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

#include <optional>

namespace hone::lower {

// The product with the most operations, as a kernel of its own: steps look at it to see whether they apply, and how.
// Nothing where the kernel is a single statement that needs no second one, or where its products have no nest here.
std::optional<kernel::Kernel> leading_product(const kernel::Kernel& kernel);
// The same for products of narrow operands, which have a nest of their own (dot_view).
std::optional<kernel::Kernel> leading_dot_product(const kernel::Kernel& kernel);

// Every product in the schedule's nest, as far as that fits it; all else as plain loops. One launch after the other.
Result<LoweredProgram> lower_products(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect);

} // namespace hone::lower
