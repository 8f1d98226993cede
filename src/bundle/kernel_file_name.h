// Which files of a kernel's folder travel. (internal to the bundle room)
#pragma once

#include <string>

namespace hone::bundle {

// Letters, digits, '.', '-' and '_', no part that begins with a dot, not deeper than a kernel's folder is.
bool is_kernel_file_name(const std::string& name);

} // namespace hone::bundle
