// The function as the user's own is declared ([signature] of kernel.toml), or with Hone's order of arguments.
// (internal to the room)
#pragma once

#include "ship/names.h"

namespace hone::ship {

bool has_signature(const ExportContext& names);

// "void matmul(const float* A, ..., int64_t n)"
std::string function_head(const ExportContext& names);

// Before the call of NAME_with: what numbers that the kernel does not take must be, as a condition for an error; ""
// where there are none.
Result<std::string> wrong_extras(const ExportContext& names);
// Statements that use what nothing else uses, and the variable of what is returned.
std::string head_of_body(const ExportContext& names);
std::string end_of_body(const ExportContext& names);
// An argument as NAME_with takes it.
std::string passed_on(const ExportContext& names, const kernel::Argument& argument);

// C++: static void NAME_as_given(arguments, sizes), which calls the function; "" where it has that order itself.
Result<std::string> adapter_text(const ExportContext& names);

} // namespace hone::ship
