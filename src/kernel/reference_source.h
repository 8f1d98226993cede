// Prints the C++ of a kernel's reference. (internal to the room)
#pragma once

#include "kernel/definition.h"
#include "kernel/kernel_class.h"

#include <optional>
#include <string>

namespace hone {

std::string reference_source(const Kernel& kernel, const std::optional<Contraction>& contraction);

} // namespace hone
