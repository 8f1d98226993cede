// Prints the C++ of a kernel's reference: the functions that reference_abi.h declares.
#pragma once

#include "kernel/definition.h"
#include "kernel/kernel_class.h"

#include <optional>
#include <string>

namespace hone::kernel {

// Without a contraction every statement is plain loops; with one, hone_contract makes its sums in
// tiles, of any part of it, and hone_finish the rest.
std::string reference_source(const Kernel& kernel, const std::optional<Contraction>& contraction);

} // namespace hone::kernel
