// The built-in engine's compiler: schedule -> loop program -> readable source through a dialect.
// Knows expressions and dialects; knows nothing of backends, devices or search.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "lower/schedule.h"

namespace hone::lower {

// The straightforward first candidate for any kernel: one launch per statement, plain loops as in the expression,
// intermediates in scratch.
Result<kernel::Candidate> naive_candidate(const kernel::Kernel& kernel, const Dialect& dialect);

// Prints a schedule as a candidate (device source, macros.h, launch.toml; schedule.toml travels along).
Result<kernel::Candidate> lower_schedule(const kernel::Kernel& kernel, const Schedule& schedule,
                                         const Dialect& dialect);

// Public too, for what rewrites ask: "lower/contraction_view.h" about a contraction's operands,
// "lower/rowwise_program.h" and "lower/rowwise_lowering.h" about statements that go over rows,
// "lower/window_view.h" about convolutions and pooling, "lower/element_lowering.h" about elements side by side,
// "lower/products.h" and "lower/window_stages.h" about programs of several products or convolutions, and
// "lower/matrix_shape.h" about matrix instructions.

} // namespace hone::lower
