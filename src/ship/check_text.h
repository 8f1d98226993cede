// The programs that stand beside the function: one that checks it, one that times it. (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

// KERNEL_check.cpp: random inputs, and what the reference computes from them in double.
Result<std::string> check_text(const ExportContext& names);
// KERNEL_reference.cpp: the expression in plain loops, with a bound for the error of each element.
std::string reference_text(const ExportContext& names);
// KERNEL_example.c or .cpp: the speed at the measured sizes beside the record's.
Result<std::string> example_text(const ExportContext& names);

// "check.argument(0)" as the function's argument, cast to its type.
std::string typed_argument(const kernel::Argument& argument, const std::string& bytes);

} // namespace hone::ship
