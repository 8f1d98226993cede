// Prints the C++ of a kernel's reference: hone_all and hone_one, as reference_abi.h has them.
#pragma once

#include "kernel/definition.h"
#include "kernel/kernel_class.h"

#include <optional>
#include <string>

namespace hone {

// Without a contraction every statement is plain loops; with one, hone_contract computes it in tiles.
std::string reference_source(const Kernel& kernel, const std::optional<Contraction>& contraction);

} // namespace hone
