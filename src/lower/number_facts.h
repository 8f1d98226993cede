// What is known of a number whatever the data are: vector code follows from it. (internal to the room)
#pragma once

#include "kernel/kernel.h"

#include <cmath>

namespace hone::lower {

// What a tensor holds; loads convert it.
kernel::DataType stored_type(const kernel::Kernel& kernel, const kernel::Expr& load);

// / or %.
bool is_division(const kernel::Expr& expression);
// A power of two as a literal, on the right side of / or %; 0: it is something else.
double power_of_two(const kernel::Expr& expression);
// Sums, products and remainders of a few narrow integers are the same in f32.
bool is_exact_in_float(const kernel::Kernel& kernel, const kernel::Expr& expression);
// A floor, integers, and sums, minima and maxima of these.
bool is_whole_number(const kernel::Expr& expression);

struct NumberRange {
  double low = -HUGE_VAL, high = HUGE_VAL;
};
// As far as minima and maxima with numbers say: clamp(x, 0, 255) lies between the two, whatever x is.
NumberRange range_of(const kernel::Expr& expression);

} // namespace hone::lower
