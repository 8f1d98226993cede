// Steps that cannot gain anything at given sizes, decided without measuring. (internal to the engine room)
#pragma once

#include "rewrite/rewrite.h"

namespace hone::rewrite {

// "" where the step may be worth a measurement.
std::string why_useless(std::string_view step, const kernel::Kernel& kernel, const lower::Dialect& dialect,
                        const OptimizationTarget& target);

} // namespace hone::rewrite
