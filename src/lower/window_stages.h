// Programs of several statements, of which convolutions do most of the work.
#pragma once

#include "lower/schedule.h"
#include "lower/statement_lowering.h"

#include <optional>

namespace hone::lower {

// The convolution with the most operations, as a kernel of its own: steps look at it to see whether they apply, and
// how. Nothing where the kernel is a single statement, or where its convolutions have no nest here.
std::optional<kernel::Kernel> leading_windows(const kernel::Kernel& kernel);

// Every statement over windows in the schedule's nest, as far as that fits it; all else as plain loops or by elements.
// One launch after the other. Of a single statement the nest alone.
Result<LoweredProgram> lower_window_stages(const kernel::Kernel& kernel, const Schedule& schedule,
                                           const Dialect& dialect);

} // namespace hone::lower
