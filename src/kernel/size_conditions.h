// Conditions between sizes: [sizes] where = ["n <= ldc"]. Sizes at which one is false mean nothing to the kernel.
#pragma once

#include "kernel/definition.h"

namespace hone::kernel {

// An error that names the condition that does not hold.
Result<void> check_size_conditions(const Kernel& kernel, const Sizes& sizes);

// The same sizes with as few changes as make the conditions hold: a symbol that must be larger grows, one that must be
// smaller shrinks. Where no such change is found, the sizes as they are.
Sizes with_conditions_met(const Kernel& kernel, Sizes sizes);

// True for an expression of comparisons, && and || over sizes and integers alone.
bool is_size_condition(const Expr& expression);

} // namespace hone::kernel
